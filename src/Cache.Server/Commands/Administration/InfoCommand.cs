using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>INFO.</summary>
internal static class InfoCommand
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } = [new("info", Info)];

    private static void Info(in RespRequest request, CommandContext context)
    {
        var text = new InfoText();
        foreach (var section in InfoSections.All)
        {
            if (!IsAskedFor(section, request))
                continue;
            text.BeginSection(section.Name);
            section.Append(text, context.Server);
        }

        context.Reply.VerbatimText(text.ToBytes());
    }

    private static bool IsAskedFor(InfoSection section, in RespRequest request)
    {
        if (request.Count == 1)
            return section.IsDefault;
        for (int i = 1; i < request.Count; i++)
        {
            var name = request[i];
            if (name.Is("ALL"u8) || name.Is("EVERYTHING"u8) || (name.Is("DEFAULT"u8) && section.IsDefault))
                return true;
            if (System.Text.Ascii.EqualsIgnoreCase(name, section.Name))
                return true;
        }

        return false;
    }
}
