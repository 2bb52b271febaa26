#if 1 // error: unterminated conditional
#ifdef X // error: unterminated conditional
