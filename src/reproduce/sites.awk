# Adds a table of calls to the assembly that a C compiler writes: return address, file, line and column of each.
# The code stays as it is.
/^[ \t]*\.file[ \t]+[0-9]+[ \t]/ {
    name[$2] = ""
    n = split($0, part, "\"")
    # Version 5 of DWARF has the folder first.
    if (n >= 5) name[$2] = part[4]; else if (n >= 3) name[$2] = part[2]
}
/^[ \t]*\.loc[ \t]/ { file = $2; line = $3; column = $4 }
# The program's own function of that name is not asked what it does.
error && /^[ \t]*call[a-z]*[ \t]+(reach_error|__VERIFIER_error)(@PLT)?[ \t]*$/ {
    sub(/[a-zA-Z_]*error.*/, "relyant_reach_error")
}
{ print }
/^[ \t]*call[a-z]*[ \t]/ && line > 0 {
    calls++
    print ".Lrelyant_" calls ":"
    at[calls] = file " " line " " column + 0
}
END {
    # Of 64 bits, unless it is said otherwise.
    if (!pointer) pointer = ".quad"
    print "\t.section relyant_sites,\"aw\",@progbits"
    print "\t.align 8"
    for (i = 1; i <= calls; i++) {
        split(at[i], p, " ")
        used[p[1]] = 1
        print "\t" pointer " .Lrelyant_" i ", .Lrelyant_file_" p[1]
        print "\t.long " p[2] ", " p[3]
    }
    print "\t.section .rodata"
    for (f in used) print ".Lrelyant_file_" f ":\n\t.string \"" name[f] "\""
}
