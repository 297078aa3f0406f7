using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Options;

namespace Cache.Hosting;

/// <summary>Creates options as the framework does; errors name the keys of their sections.</summary>
internal sealed class SectionOptionsFactory<
    [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
    IEnumerable<IConfigureOptions<TOptions>> setups,
    IEnumerable<IPostConfigureOptions<TOptions>> postConfigures,
    IEnumerable<IValidateOptions<TOptions>> validations,
    IEnumerable<OptionsSection<TOptions>> sections)
    : IOptionsFactory<TOptions>
    where TOptions : class, new()
{
    private readonly OptionsFactory<TOptions> _factory = new(setups, postConfigures, validations);

    public TOptions Create(string name)
    {
        try
        {
            return _factory.Create(name);
        }
        catch (OptionsValidationException e)
        {
            var failures = e.Failures;
            foreach (var section in sections.Where(one => one.NameOfOptions == name))
                failures = failures.Select(section.Translate);
            throw new OptionsValidationException(e.OptionsName, e.OptionsType, failures.Distinct());
        }
    }
}
