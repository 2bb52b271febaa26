kernel void k(global int *g)
{
	int ×té = 1;
	g[0] = "中文" + undeclared;		/* 👩 */
	g[1] =	nothing	+ 1;
}
