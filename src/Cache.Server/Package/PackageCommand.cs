using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Package;

/// <summary>CACHE PACKAGE: the package as the reply. No file is written: decision 140.</summary>
internal static class PackageCommand
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } = [new("cache|package", Package)];

    // CACHE PACKAGE [KEYS HASH|PREFIX|PLAIN]
    private static void Package(in RespRequest request, CommandContext context)
    {
        var exposure = KeyExposure.Hash;
        bool namesKeys = request.Count == 4 && request[2].Is("KEYS"u8);
        if (request.Count != 2 && !(namesKeys && TryRead(request[3], out exposure)))
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        var gate = context.Server.PackageGate;
        if (!gate.TryEnter())
        {
            context.Reply.Error("ERR another package is being made, try again in a moment"u8);
            return;
        }

        try
        {
            context.Reply.Bulk(PackageWriter.Write(context.Server, exposure));
        }
        finally
        {
            gate.Exit();
        }
    }

    private static bool TryRead(ReadOnlySpan<byte> name, out KeyExposure exposure)
    {
        exposure = name.Is("PREFIX"u8) ? KeyExposure.Prefix
            : name.Is("PLAIN"u8) ? KeyExposure.Plain
            : KeyExposure.Hash;
        return exposure != KeyExposure.Hash || name.Is("HASH"u8);
    }
}
