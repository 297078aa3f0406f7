using Cache.Server.Commands.Dispatch;
using Cache.Server.Settings;

namespace Cache.Server.Commands.Administration;

/// <summary>A checked value: the action that makes it the present one, or the reason why it is refused.</summary>
/// <param name="Apply">Makes it the present value.</param>
/// <param name="Problem">
/// The reason for a refusal, in Redis's words; null: none. With a move: the reason if that fails.
/// </param>
internal readonly record struct ConfigChange(Action<ServerState>? Apply, string? Problem)
{
    /// <summary>The new addresses, given those of the changes before; null: it does not concern addresses.</summary>
    public Func<ListenPlace, ListenPlace>? Move { get; init; }

    /// <summary>Tries to make it the present value; null: that cannot fail.</summary>
    public Func<ServerState, bool>? TryApply { get; init; }

    /// <summary>Whether it is refused in any case.</summary>
    public bool IsRefused => Apply is null;

    /// <summary>How the event of a change begins; the name and the value follow.</summary>
    public const string EventPrefix = "CONFIG SET ";

    public static ConfigChange To(Action<ServerState> apply) => new(apply, null);

    public static ConfigChange Refused(string problem) => new(null, problem);

    /// <summary>A change that may fail, with the reason in the log.</summary>
    public static ConfigChange Tried(Func<ServerState, bool> apply, string problem) =>
        new(static _ => { }, problem) { TryApply = apply };

    /// <summary>A change that opens and closes listeners, which may fail: all moves of a command are one.</summary>
    public static ConfigChange Moved(
        Func<ListenPlace, ListenPlace> move, Action<ServerState> apply, string problem) =>
        new(apply, problem) { Move = move };
}
