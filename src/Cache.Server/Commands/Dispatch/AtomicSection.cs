using System.Diagnostics;
using Cache.Core;
using Cache.Server.Clients;

namespace Cache.Server.Commands.Dispatch;

/// <summary>Executes commands such that nobody sees a part of what they do: EXEC, and whoever needs the same.</summary>
/// <remarks>
/// <para>
/// <see cref="Run"/>, with keys that are declared before, locks them in the store (decision 98): no door sees a part,
/// the doors in process included, and the journal has one group. While the section lasts, the context's store is a
/// view with the locks; commands never give way or wait (a wait of theirs has ended already, see
/// <see cref="CommandContext.SuspensionEnd"/>). A command that uses another key
/// fails: <see cref="CacheStore.Transact"/>.
/// </para>
/// <para>
/// <see cref="TryRunAlone"/>, for keys that cannot be declared: no other client executes a command meanwhile, so that
/// no client sees a part. Callers in process may see the single commands, and each is a group of its own in the
/// journal; inside, declared keys may be locked by <see cref="Run"/>. The caller must be on a thread of its own
/// (<see cref="CommandContext.TryGiveWay(long)"/>), since it waits for the commands of other clients.
/// </para>
/// </remarks>
internal static class AtomicSection
{
    /// <summary>Runs commands while the keys are locked.</summary>
    /// <param name="keys">All keys that the commands use, in any keyspace.</param>
    /// <param name="body">What executes them.</param>
    /// <param name="context">The client's context, outside of a section.</param>
    /// <exception cref="IOException">The journal takes no writes: nothing was done.</exception>
    public static void Run<TBody>(DeclaredKeys keys, ref TBody body, CommandContext context)
        where TBody : struct, IAtomicBody, allows ref struct
    {
        Debug.Assert(!context.IsInSection, "Sections are not nested.");
        if (keys.Count == 0)
        {
            RunIn(null, ref body, context);
            return;
        }

        var transaction = new Locked<TBody>(keys, body, context);
        context.Store.Transact(ref transaction);
        body = transaction.Body;
    }

    /// <summary>Runs commands while no other client executes any.</summary>
    /// <param name="action">What executes them.</param>
    /// <param name="context">The client's context, outside of a section.</param>
    /// <param name="isHeld">Whether a script has let others in, for which this need not wait on its thread.</param>
    /// <returns>False if the commands of other clients took too long: nothing was done.</returns>
    public static bool TryRunAlone(Action action, CommandContext context, out bool isHeld)
    {
        var databases = context.Server.Databases;
        if (!databases.TryBeginAlone(context, out var stay, out isHeld))
            return false;
        try
        {
            action();
        }
        finally
        {
            databases.EndAlone(context, stay);
        }

        return true;
    }

    /// <summary>Runs commands apart: on the store itself, but without giving way or waiting.</summary>
    public static void RunUnlocked<TBody>(ref TBody body, CommandContext context)
        where TBody : struct, IAtomicBody, allows ref struct => RunIn(null, ref body, context);

    private static void RunIn<TBody>(CacheStore? view, ref TBody body, CommandContext context)
        where TBody : struct, IAtomicBody, allows ref struct
    {
        var outside = context.BeginSection(view);
        try
        {
            body.Run(context);
        }
        finally
        {
            context.EndSection(outside);
        }
    }

    private ref struct Locked<TBody>(DeclaredKeys keys, TBody body, CommandContext context) : ITransaction
        where TBody : struct, IAtomicBody, allows ref struct
    {
        public TBody Body = body;

        public readonly int KeyCount => keys.Count;

        public readonly int WriteCount => keys.WriteCount;

        public readonly long WrittenBytes => keys.WrittenBytes;

        public readonly ReadOnlySpan<byte> GetKey(int index) => keys[index];

        public readonly int GetKeyspace(int index) => keys.KeyspaceOf(index);

        public void Run(CacheStore store) => RunIn(store, ref Body, context);
    }
}
