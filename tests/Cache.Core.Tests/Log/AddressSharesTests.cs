using Cache.Core.Log;

namespace Cache.Core.Tests.Log;

public sealed class AddressSharesTests
{
    private const long Megabyte = 1 << 20;
    private const long MachineBytes = 64L << 30;

    [Fact]
    public void Create_WithoutALimitOfAddresses_LetsTheLimitRiseToTheMachines()
    {
        var shares = AddressShares.Create(64 * Megabyte, MachineBytes, long.MaxValue);

        Assert.Equal(new AddressShares(MachineBytes, MachineBytes, MachineBytes), shares);
    }

    [Theory]
    [InlineData(700)]
    [InlineData(1_100)]
    [InlineData(100_000)]
    public void Create_WithFewAddresses_LeavesMostOfThem(long freeMegabytes)
    {
        var shares = AddressShares.Create(64 * Megabyte, MachineBytes, freeMegabytes * Megabyte);

        Assert.InRange(shares.Sum, 4 * 64 * Megabyte, Math.Max(4 * 64, freeMegabytes / 4) * Megabyte);
    }

    [Fact]
    public void Create_WithFewerThanTheLimitNeeds_TakesWhatItNeeds()
    {
        var shares = AddressShares.Create(256 * Megabyte, MachineBytes, 300 * Megabyte);

        Assert.Equal(new AddressShares(256 * Megabyte, 256 * Megabyte, 512 * Megabyte), shares);
    }
}
