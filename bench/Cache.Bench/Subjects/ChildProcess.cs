using System.CommandLine;
using System.Diagnostics;
using System.Globalization;

namespace Cache.Bench.Subjects;

/// <summary>This program once more, for one subject: its figures are the numbers of its last line.</summary>
internal static class ChildProcess
{
    /// <summary>Names the subject that the child is to measure.</summary>
    public static readonly Option<string?> Subject = new("--subject") { Hidden = true };

    public static double[] Run(string[] arguments, string subject)
    {
        string program = Environment.ProcessPath!;
        var start = new ProcessStartInfo(program) { RedirectStandardOutput = true };
        if (Path.GetFileNameWithoutExtension(program) == "dotnet")
            start.ArgumentList.Add(Environment.GetCommandLineArgs()[0]);
        foreach (string argument in (string[])[.. arguments, Subject.Name, subject])
            start.ArgumentList.Add(argument);
        using var process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        if (process.ExitCode != 0)
            throw new WrongAnswerException($"The process that measured {subject} failed: {output}");
        string line = output.TrimEnd().Split('\n')[^1];
        return [.. line.Split(' ').Select(static figure => double.Parse(figure, CultureInfo.InvariantCulture))];
    }

    /// <summary>
    /// In a child, measures its subject, and reports that; else runs a child for each, and hands on its figures.
    /// </summary>
    /// <param name="arguments">As they were given to the verb.</param>
    /// <param name="verb">The verb's name, and its options but those of the subjects.</param>
    /// <param name="measure">Measures a subject of so many keys, with values of a length.</param>
    /// <param name="add">Takes the figures of a subject.</param>
    /// <returns>Whether this is no child: there is something to print.</returns>
    public static bool RunEach(
        ParseResult arguments, string[] verb, Action<string, int, int> measure, Action<string, double[]> add)
    {
        int keys = arguments.GetValue(SubjectOptions.Keys);
        int valueLength = arguments.GetValue(SubjectOptions.Value);
        if (arguments.GetValue(Subject) is { } name)
        {
            measure(name, keys, valueLength);
            return false;
        }

        foreach (string subject in arguments.SubjectNames())
            add(subject, Run([.. verb, "--keys", $"{keys}", "--value", $"{valueLength}"], subject));
        return true;
    }

    public static void Report(params double[] figures) =>
        Console.WriteLine(string.Join(' ', figures.Select(static f => f.ToString("R", CultureInfo.InvariantCulture))));
}
