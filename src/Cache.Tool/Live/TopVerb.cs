using Cache.Tool.Client;
using Cache.Tool.Verbs;
using Spectre.Console;

namespace Cache.Tool.Live;

/// <summary>Shows a running server as it goes.</summary>
internal static class TopVerb
{
    private const string OnceOption = "--once";
    private const int SecondsMax = 3600;

    // Of a frame that is printed.
    private const int WidthOfText = 120;

    public static Verb Verb { get; } = new(
        "top",
        [],
        "Shows a running server as it goes: requests, hits, memory, latency, hot keys, the doctor's worst sentence.",
        [
            "",
            "--once             one frame as text; so too where the output is no terminal",
            "--every N          seconds between frames, 1 if it is not given; Ctrl+C ends",
            .. ServerAddress.Help,
            "",
            "Hits and evictions are those since the frame before; of the first frame, since the server started.",
        ],
        ServerAddress.Options((OnceOption, null), ("--every", "N")),
        Run);

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        var address = ServerAddress.Of(words);
        int seconds = words.NumberOf("--every", 1, 1, SecondsMax);
        using var server = ServerConnection.Open(address);
        if (words.Has(OnceOption) || !output.IsTerminal)
            Print(TopView.Of(address.ToString(), TopFigures.Read(server), before: null), output);
        else
            Show(server, address.ToString(), TimeSpan.FromSeconds(seconds));
        return ExitCode.Whole;
    }

    private static void Print(Spectre.Console.Rendering.IRenderable frame, Report output)
    {
        var text = new StringWriter();
        var console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.No,
            ColorSystem = ColorSystemSupport.NoColors,
            Interactive = InteractionSupport.No,
            Out = new AnsiConsoleOutput(text),
        });
        console.Profile.Width = WidthOfText;
        console.Write(frame);
        foreach (string line in text.ToString().Split('\n'))
            output.Line(line.TrimEnd());
    }

    private static void Show(ServerConnection server, string address, TimeSpan every)
    {
        using var ended = new ManualResetEventSlim();
#pragma warning disable RS0030 // It is a program.
        Console.CancelKeyPress += (_, pressed) =>
        {
            pressed.Cancel = !ended.IsSet; // The second one ends it even while it waits for the server.
            ended.Set();
        };
#pragma warning restore RS0030
        var before = TopFigures.Read(server);
        AnsiConsole.Live(TopView.Of(address, before, before: null)).Start(live =>
        {
            while (!ended.Wait(every))
            {
                var now = TopFigures.Read(server);
                live.UpdateTarget(TopView.Of(address, now, before));
                before = now;
            }
        });
    }
}
