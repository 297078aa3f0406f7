using Cache.Server.Doctor;

namespace Cache.Tidy.Tests;

/// <summary>The page of operations lists the doctor's rules, all of them, in their order.</summary>
public sealed class DoctorPageTests
{
    [Fact]
    public void Page_ListsTheRules()
    {
        string[] lines = File.ReadAllLines(Repository.Absolute("docs/operations.md"));
        var rows = lines.SkipWhile(static line => line != "| rule | severity | when |").Skip(2)
            .TakeWhile(static line => line.StartsWith('|')).Select(static line => line.Split('`')[1]);

        Assert.Equal(DoctorRules.All.Select(static rule => rule.Name), rows);
    }
}
