using System.CommandLine;
using System.Globalization;
using Cache.Bench.Subjects;

namespace Cache.Bench.Verbs;

/// <summary>Bytes of an element in the trees of collections, and nanoseconds of an operation.</summary>
internal static class TreeVerb
{
    private static readonly Option<int> _elements = new("--elements")
    {
        Description = "The elements of each tree",
        DefaultValueFactory = static _ => 1_000_000,
    };

    public static Command Create()
    {
        var verb = new Command("tree", "Sets, hashes, sorted sets and lists as trees: their bytes and their time.")
        {
            _elements,
        };
        verb.SetAction(Run);
        return verb;
    }

    private static int Run(ParseResult arguments)
    {
        var subject = new TreeSubject(arguments.GetValue(_elements));
        var bytes = new TextTable("tree", "bytes an element", "with whole slabs", "ns to add one");
        foreach (var (name, pages, slabs, nanoseconds) in subject.Build())
            bytes.Add(name, Text(pages), Text(slabs), Text(nanoseconds));
        bytes.Print();
        var times = new TextTable("operation", "ns, lower quartile", "median");
        foreach (var (name, quartile, median) in subject.Time())
            times.Add(name, Text(quartile), Text(median));
        times.Print();
        return 0;
    }

    private static string Text(double figure) => figure.ToString("F1", CultureInfo.InvariantCulture);
}
