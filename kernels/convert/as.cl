// s6.2.4.2: the same bits as another type of the same size; three lanes count as four.

__bitcast dst as_##dst(gentypem x);
