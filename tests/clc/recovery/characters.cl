kernel void k(global int *g)
{
	int été = 1;
	g[0] = "中文" + undeclared;		/* 👩 */
	g[1] =	nothing	+ 1;
}
