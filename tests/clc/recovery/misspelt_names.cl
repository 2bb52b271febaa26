enum mode { FORWARD, BACKWARD };
typedef float real_t;
constant float threshold = 0.5f;
int compute_index(int row, int column) { return row * 4 + column; }
__attribute__((reqd_work_gruop_size(1, 1, 1))) kernel void k(global float *result, int width) // warning: unknown attribute 'reqd_work_gruop_size' ignored; did you mean 'reqd_work_group_size'?
{
    int counter = 0;
    result[0] = thershold; // error: use of undeclared identifier 'thershold'; did you mean 'threshold'?
    result[1] = compute_indx(1, 2); // error: use of undeclared identifier 'compute_indx'; did you mean 'compute_index'?
    result[2] = FORWRAD; // error: use of undeclared identifier 'FORWRAD'; did you mean 'FORWARD'?
    reel_t x = 1; // error: unknown type name 'reel_t'; did you mean 'real_t'?
    cosnt int y = 2; // error: unknown type name 'cosnt'; did you mean 'const'?
    result[3] = widht + countr; // error: use of undeclared identifier 'widht'; did you mean 'width'? // error: use of undeclared identifier 'countr'; did you mean 'counter'?
    result[4] = get_gloabl_id(0) + M_PIF; // error: use of undeclared identifier 'get_gloabl_id'; did you mean 'get_global_id'? // error: use of undeclared identifier 'M_PIF'; did you mean 'M_PI'?
    result[5] = CLK_LOCAL_MEMFENCE; // error: use of undeclared identifier 'CLK_LOCAL_MEMFENCE'; did you mean 'CLK_LOCAL_MEM_FENCE'?
}
