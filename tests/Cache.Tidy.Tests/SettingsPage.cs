using System.Text;
using Cache.Server.Settings;

namespace Cache.Tidy.Tests;

/// <summary>docs/settings.md, written from the table of directives.</summary>
internal static class SettingsPage
{
    private const string Start =
        """
        # Settings of the server

        Every directive of the stand-alone server. It reads them, in this order, from

        1. a file in the form of redis.conf, named as the first argument;
        2. `appsettings.json`, section `Cache`;
        3. environment variables: `CACHE_MAXMEMORY=512mb`;
        4. the command line: `--maxmemory 512mb`.

        The last source that sets a directive wins. `user`, `rename-command` and `tls-client-user` add up, and so do,
        as in Redis, the lines of `save` and of `client-output-buffer-limit`. All sources and `CONFIG SET` accept and
        refuse the same values. All mistakes are reported at once, each with its place. A redis.conf of Redis 7.0
        starts the server: directives without a meaning here are accepted, kept and listed in one warning; those that
        ask for a missing feature (`replicaof`, ciphers) are errors.
        [cache.conf](../samples/StandaloneServer/cache.conf) has the directives with a meaning, each with its default.

        `CONFIG GET` shows every directive except the first three of these. `CONFIG REWRITE` writes the present values,
        and the users unless there is an `aclfile`, into the file that the server was started with: comments, order and
        lines that are still right stay; a value that is not the default and has no line yet is added at the end. It
        leaves `include`, `rename-command` and `tls-client-user` as they are. The new file replaces the old one
        atomically. A user of the command line or the environment stands in the file from then on: the next start with
        both is an error, as in Redis, until one of them is gone.

        Amounts of memory are bytes, or a number and a unit: `1k` is 1,000 bytes, `1kb` is 1,024; so are `m`, `mb`, `g`
        and `gb`. In code the same options are `CacheOptions` and `RespServerOptions`.

        This page is written from the table of directives that the server uses; a test compares them.

        ## Directives with a meaning

        | name | value | default | `CONFIG SET` | meaning | in code |
        |---|---|---|---|---|---|

        """;

    private const string WithoutMeaning =
        """

        ## Accepted without a meaning

        A configuration of Redis 7.0 starts the server, and a client that reads or sets these finds what Redis 7.0.15
        has: its defaults, its ranges and its errors. Nothing here depends on them. A warning at the start lists those
        that were given.

        | name | value | default | `CONFIG SET` | note |
        |---|---|---|---|---|

        """;

    public static string Write()
    {
        var page = new StringBuilder(Start.ReplaceLineEndings("\n"));
        foreach (var one in DirectiveTable.Meaningful)
            page.Append(Row(one, Cell(one.Meaning), Option(one)));
        page.Append(WithoutMeaning.ReplaceLineEndings("\n"));
        foreach (var one in DirectiveTable.WithoutMeaning.OrderBy(one => one.Name, StringComparer.Ordinal))
            page.Append(Row(one, Note(one)));
        return page.ToString();
    }

    private static string Row(Directive one, params string[] cells)
    {
        string value = one.DefaultName ?? (one.Default.Length == 0 ? "none" : one.Kind.ToLine(one.Default).Trim('"'));
        string[] all = [$"`{one.Name}`", Cell(one.Kind.PageRule), Cell(value), Change(one), .. cells];
        return $"| {string.Join(" | ", all)} |\n";
    }

    private static string Change(Directive one) =>
        !one.IsChangeable ? "no" : one.IsProtected ? "`enable-protected-configs`" : "yes";

    private static string Option(Directive one)
    {
        if (one.Option is not { } option)
            return "";
        bool isOfStore = typeof(Cache.Core.CacheOptions).GetProperty(option) is not null;
        string type = isOfStore ? "CacheOptions" : "RespServerOptions";
        return $"`{type}.{option}`";
    }

    private static string Note(Directive one) => one switch
    {
        { AliasOf: { } name } => $"another name of `{name}`",
        { IsParameter: false } => "of older versions; in a file alone",
        _ => one.WithoutEffect ?? "",
    };

    private static string Cell(string text) => text.Replace("|", "\\|", StringComparison.Ordinal);
}
