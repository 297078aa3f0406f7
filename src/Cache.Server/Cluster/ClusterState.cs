namespace Cache.Server.Cluster;

/// <summary>What a server of a cluster knows: itself, and who owns which slot. Thread-safe.</summary>
/// <remarks>
/// Commands read the view once each. It is replaced while no command is under way, so that a command that was found to
/// be at the right server ends there before another one owns its slot.
/// </remarks>
/// <param name="self">This server, as the map names it.</param>
/// <param name="map">The map at the start.</param>
/// <param name="file">The file of the map; null: it came in one line of the configuration.</param>
/// <param name="needsAll">Reads whether a slot without an owner makes all others unavailable.</param>
internal sealed class ClusterState(ShardNode self, SlotMap map, string? file, Func<bool> needsAll)
{
    private volatile SlotView _view = new(map, self);

    public ShardNode Self => self;

    /// <summary>The full path of the file of the map; null: none.</summary>
    public string? File => file;

    /// <summary>Who owns which slot now. Replaced while no command is under way.</summary>
    public SlotView View
    {
        get => _view;
        set => _view = value;
    }

    /// <summary>Whether commands with keys are answered at all.</summary>
    public bool IsUp => IsUpBy(_view);

    /// <summary>The same by a view.</summary>
    public bool IsUpBy(SlotView view) => view.IsComplete || !needsAll();
}
