// options: -cl-std=CL2.0
// pipe T argument with read_only (default) or write_only
kernel void k(read_write pipe int p){} // error: pipes are not supported // error: an access qualifier is for images only
