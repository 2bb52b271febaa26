int a; /* never closed // error: unterminated comment
