using Cache.Server.Commands.Dispatch;
using Cache.Server.Settings;

namespace Cache.Server.Commands.Administration;

/// <summary>A value that was checked: what to do to make it the present one, or why it cannot be.</summary>
/// <param name="Apply">Makes it the present value.</param>
/// <param name="Problem">The reason, in Redis's words; null: none. With a move: the reason if that fails.</param>
internal readonly record struct ConfigChange(Action<ServerState>? Apply, string? Problem)
{
    /// <summary>Where to listen, given where the changes before it do; null: it is no matter of that.</summary>
    public Func<ListenPlace, ListenPlace>? Move { get; init; }

    /// <summary>Makes it the present value, unless that fails; null: it cannot fail.</summary>
    public Func<ServerState, bool>? TryApply { get; init; }

    /// <summary>Whether it cannot be, whatever happens.</summary>
    public bool IsRefused => Apply is null;

    public static ConfigChange To(Action<ServerState> apply) => new(apply, null);

    public static ConfigChange Refused(string problem) => new(null, problem);

    /// <summary>A change that may fail, for a reason that the log has.</summary>
    public static ConfigChange Tried(Func<ServerState, bool> apply, string problem) =>
        new(static _ => { }, problem) { TryApply = apply };

    /// <summary>A change that opens and closes listeners, which may fail: all moves of a command are one.</summary>
    public static ConfigChange Moved(
        Func<ListenPlace, ListenPlace> move, Action<ServerState> apply, string problem) =>
        new(apply, problem) { Move = move };
}
