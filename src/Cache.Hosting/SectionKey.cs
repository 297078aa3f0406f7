using Microsoft.Extensions.Configuration;

namespace Cache.Hosting;

/// <summary>One key of a section, and the setter of its option.</summary>
/// <param name="Name">
/// The key: the option's name, or its path if an option has options of its own; case-insensitive.
/// </param>
/// <param name="Set">Sets the option; returns the error, or null.</param>
internal sealed record SectionKey<TOptions>(string Name, Func<IConfigurationSection, TOptions, string?> Set);
