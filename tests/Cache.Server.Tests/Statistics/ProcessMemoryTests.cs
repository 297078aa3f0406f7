using Cache.Server.Statistics;

namespace Cache.Server.Tests.Statistics;

public sealed class ProcessMemoryTests
{
    [Fact]
    public void Parse_LinesOfTheKernel_AreTakenInBytes()
    {
        var memory = ProcessMemory.Parse(
            "Name:\tdotnet\nVmRSS:\t   63000 kB\nRssAnon:\t   10828 kB\nRssFile:\t   42504 kB\n"
            + "RssShmem:\t    8624 kB\n");

        Assert.Equal((10828L << 10, 42504L << 10, 8624L << 10), (memory.Anonymous, memory.Files, memory.Shared));
        Assert.Equal(61956L << 10, memory.Resident);
    }

    [Theory]
    [InlineData("")]
    [InlineData("RssAnon:")]
    [InlineData("RssAnon:\tmany kB\n")]
    [InlineData("RssAnon:\t-5 kB\n")]
    public void Parse_OtherText_IsZero(string status) => Assert.Equal(0, ProcessMemory.Parse(status).Resident);

    [Fact]
    public void Read_ThisProcess_IsAboutItsWorkingSet()
    {
        var memory = ProcessMemory.Read();

        Assert.InRange(memory.Resident, Environment.WorkingSet / 2, 2 * Environment.WorkingSet);
        Assert.InRange(memory.Files, 1 << 20, memory.Resident);
        Assert.InRange(memory.Allocated, 0, memory.Resident);
    }
}
