
using Cache.Server.Settings;

namespace Cache.Hosting.Configuration;

/// <summary>Replaces the names of options in the libraries' messages by those of directives.</summary>
internal static class OptionWords
{
    /// <summary>Replaces options by directives: the first one as it was written, with its place.</summary>
    /// <param name="message">The message.</param>
    /// <param name="settings">The settings that set the options, by the options' names.</param>
    public static string Replace(string message, IReadOnlyDictionary<string, List<Setting>> settings)
    {
        string? subject = OptionNames.FindAll(message).FirstOrDefault();
        if (subject is null)
            return message;
        bool isFirst = true;
        bool hasPlace = settings.ContainsKey(subject);
        return OptionNames.Replace(message, option =>
        {
            if (DirectiveOf(option) is not { } directive)
                return null;
            bool isSubject = isFirst;
            isFirst = false;
            if (!settings.TryGetValue(option, out var all))
                return directive;

            // For example, of many users, the one that the message names.
            var setting = all.FindLast(one => message.Contains($"'{one.Values[0]}'", StringComparison.Ordinal))
                ?? all[^1];
            if (isSubject)
                return setting.Label;
            string place = hasPlace ? "" : $" ({setting.Label})";
            hasPlace = true;
            return directive + place;
        });
    }

    private static string? DirectiveOf(string option) =>
        DirectiveTable.FindByOption(option)?.Name;
}
