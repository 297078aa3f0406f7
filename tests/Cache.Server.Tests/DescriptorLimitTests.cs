namespace Cache.Server.Tests;

public sealed class DescriptorLimitTests
{
    [Theory]
    [InlineData("1024", 832)]
    [InlineData("100", 1)]
    [InlineData("unlimited", int.MaxValue)]
    [InlineData("9223372036854775807", int.MaxValue)]
    public void ParseClientsMax_OfALimit_LeavesSomeForTheProcess(string soft, int expected)
    {
        string limits =
            "Limit                     Soft Limit           Hard Limit           Units     \n"
            + "Max processes             unlimited            unlimited            processes \n"
            + $"Max open files            {soft,-20} 1048576              files     \n";

        Assert.Equal(expected, DescriptorLimit.ParseClientsMax(limits));
    }

    [Fact]
    public void ParseClientsMax_WithoutTheLine_IsNoBound() =>
        Assert.Equal(int.MaxValue, DescriptorLimit.ParseClientsMax(""));

    [Fact]
    public void ReadClientsMax_OnThisMachine_AllowsSome() =>
        Assert.InRange(DescriptorLimit.ReadClientsMax(), 1, int.MaxValue);
}
