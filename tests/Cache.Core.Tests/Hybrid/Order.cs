using System.ComponentModel;

namespace Cache.Core.Tests.Hybrid;

/// <summary>A value as applications have them: it could be changed, for all that the cache knows.</summary>
internal sealed record Order(int Id, string Customer, decimal Sum, DateTimeOffset At, string[] Lines)
{
    public static Order Example(int id = 17) =>
        new(id, "Grüße & Co", 12.50m, new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero), ["a", "b"]);
}

/// <summary>One that says that it never changes.</summary>
[ImmutableObject(true)]
internal sealed record Price(string Currency, decimal Amount);

/// <summary>One that says so too, but whose heirs could have what changes.</summary>
[ImmutableObject(true)]
internal record OpenPrice(string Currency);
