using System.Buffers;
using System.Text;
using System.Text.Json;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Live;

/// <summary>Asks a running server what is wrong with it.</summary>
internal static class DoctorVerb
{
    private const string JsonOption = "--json";
    private const string Critical = "critical";

    public static Verb Verb { get; } = new(
        "doctor",
        [],
        "Tells what is wrong with a running server, the worst first, and what to do.",
        [
            "",
            "--json             for a program",
            .. ServerAddress.Help,
            "",
            "Exit codes: 0 nothing critical, 2 critical, 3 wrong words, or the server does not answer.",
        ],
        ServerAddress.Options((JsonOption, null)),
        Run)
    { Failure = ExitCode.Unjudged };

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        using var server = ServerConnection.Open(ServerAddress.Of(words));
        var findings = server.Call("CACHE", "DOCTOR").Items;
        if (words.Has(JsonOption))
            WriteJson(findings, output);
        else if (findings.Count == 0)
            output.Line("No rule of the doctor finds anything wrong.");
        else
            WriteText(findings, output);
        return findings is [{ Items: [{ Text: Critical }, ..] }, ..] ? ExitCode.Critical : ExitCode.Whole;
    }

    private static void WriteText(IReadOnlyList<Reply> findings, Report output)
    {
        foreach (var finding in findings)
        {
            if (finding.Items is [var severity, var rule, var sentence, var advice, ..])
                output.Finding(severity.Text, rule.Text, sentence.Text, advice.Text);
        }
    }

    private static void WriteJson(IReadOnlyList<Reply> findings, Report output)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes, new JsonWriterOptions { Indented = true }))
        {
            json.WriteStartArray();
            foreach (var finding in findings)
            {
                if (finding.Items is not [var severity, var rule, var sentence, var advice, ..])
                    continue;
                json.WriteStartObject();
                json.WriteString("severity", severity.Text);
                json.WriteString("rule", rule.Text);
                json.WriteString("sentence", sentence.Text);
                json.WriteString("advice", advice.Text);
                json.WriteEndObject();
            }

            json.WriteEndArray();
        }

        output.Text(Encoding.UTF8.GetString(bytes.WrittenSpan));
    }
}
