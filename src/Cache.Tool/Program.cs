using Cache.Tool.Verbs;

namespace Cache.Tool;

internal static class Program
{
#pragma warning disable RS0030 // It is a program.
    public static int Main(string[] words) =>
        CacheTool.Run(
            words, new Report(Console.Out) { IsTerminal = !Console.IsOutputRedirected },
            new Report(Console.Error), TimeProvider.System);
#pragma warning restore RS0030
}
