using Cache.Server.Tests.Commands;

namespace Cache.Server.Tests.Settings;

/// <summary>What <c>CONFIG GET *</c> of Redis 7.0.15 names is known here, with a meaning or without.</summary>
public sealed class RedisParametersTests : CommandTestBase
{
    private static readonly string[] _names = Read();

    [Fact]
    public void ConfigGet_EachParameterOfRedis_ShowsIt()
    {
        Assert.Equal(192, _names.Length);
        Assert.All(
            _names,
            name => Assert.StartsWith($"*2\r\n${name.Length}\r\n{name}\r\n$", Client.Run($"CONFIG GET {name}")));
    }

    private static string[] Read()
    {
        using var stream = typeof(RedisParametersTests).Assembly.GetManifestResourceStream("RedisParameters.txt")!;
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
    }
}
