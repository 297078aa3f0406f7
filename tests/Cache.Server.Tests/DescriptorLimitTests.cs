namespace Cache.Server.Tests;

public sealed class DescriptorLimitTests
{
    [Theory]
    [InlineData(1_024, 832)]
    [InlineData(1_048_576, 1_048_384)]
    [InlineData(193, 1)]
    [InlineData(64, 1)]
    [InlineData(ulong.MaxValue, int.MaxValue)]
    public void ClientsMaxOf_Limit_LeavesSomeToTheServer(ulong limit, int expected) =>
        Assert.Equal(expected, DescriptorLimit.ClientsMaxOf(limit));

    [Fact]
    public void ReadClientsMax_ThisProcess_IsPositive() =>
        Assert.InRange(DescriptorLimit.ReadClientsMax(), 1, int.MaxValue);

    [Fact]
    public void IsReserveTouched_ThisProcess_IsNot() => Assert.False(DescriptorLimit.IsReserveTouched());
}
