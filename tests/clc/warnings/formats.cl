// Formats that are no literals are checked where their text is known.
constant char array[] = "%d\n";
constant char *constant pointer = "%f\n";
constant char *constant table[] = {"%d", "%f"};
void helper(constant char *format, int n)
{
    printf(format, n);
    printf(array, 1.0f); // warning: the format has '%d' for 'int', but this is 'double'
    printf(pointer, n); // warning: the format has '%f' for 'double', but this is 'int'
    printf(pointer); // warning: '%f' in the format has no argument
    printf(n ? "%d" : "%f", n); // warning: the format has '%f' for 'double', but this is 'int'
    printf(table[n], n);
    printf("%s %s", table[1], n ? "a" : format);
}
