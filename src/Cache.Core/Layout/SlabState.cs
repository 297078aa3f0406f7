namespace Cache.Core.Layout;

/// <summary>Where a slab of <see cref="TreePages"/> is listed.</summary>
/// <remarks>
/// <code>
///  Unused ──► Open ◄──► Full        a page is taken, given back
///    ▲         │ ▲       │
///    │         ▼ │       │
///    │        Victim     │          no page of it is taken; its pages are moved elsewhere
///    │         │         │
///    └─ Spare ◄┴─────────┘          its last page was given back
/// </code>
/// A spare slab has memory and may be taken again; an unused one had none yet, or gave it back to the system. While it
/// does, it is leaving, and in no list.
/// </remarks>
internal enum SlabState : byte
{
    Unused,
    Open,
    Full,
    Victim,
    Spare,
    Leaving,
}
