using Microsoft.Extensions.Configuration;

namespace Cache.Hosting.Tests;

/// <summary>Sections of a configuration in memory.</summary>
internal static class TestSection
{
    public static IConfigurationSection Create(string name, params (string Key, string Value)[] values) =>
        new ConfigurationBuilder()
            .AddInMemoryCollection(values.Select(
                pair => KeyValuePair.Create($"{name}:{pair.Key}", (string?)pair.Value)))
            .Build()
            .GetSection(name);
}
