using Microsoft.Extensions.Configuration;

namespace Cache.Hosting;

/// <summary>One key of a section, and how its value gets into the options.</summary>
/// <param name="Name">
/// The key, which is the option's name, or its path where an option has options of its own; its case does not matter.
/// </param>
/// <param name="Set">Sets the option; returns what is wrong with the value, or null.</param>
internal sealed record SectionKey<TOptions>(string Name, Func<IConfigurationSection, TOptions, string?> Set);
