using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Geo;

/// <summary>What a search asks for.</summary>
/// <remarks>
/// GEORADIUS key longitude latitude radius unit [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC | DESC]
/// [STORE key] [STOREDIST key]; or GEOSEARCH key FROMMEMBER member | FROMLONLAT longitude latitude
/// BYRADIUS radius unit | BYBOX width height unit [the same options but STORE]. Mistakes are told in Redis's order,
/// which looks for a member when it reads its name.
/// </remarks>
internal ref struct GeoOptions
{
    private GeoPosition _center;
    private bool _hasMember;
    private bool _hasPosition;
    private bool _hasCircle;
    private bool _hasBox;
    private bool _isAny;
    private long _count;
    private GeoShape _shape;
    private int _index;

    /// <summary>The error; empty if there is none.</summary>
    public ReadOnlySpan<byte> Problem { get; private set; }

    public readonly GeoShape Shape => _shape with { Center = _center };

    public bool HasDistances { get; private set; }

    public bool HasHashes { get; private set; }

    public bool HasPositions { get; private set; }

    /// <summary>The order of distances; 0: none.</summary>
    public int Direction { get; private set; }

    /// <summary>The most members; 0: all.</summary>
    public readonly long Count => _count;

    /// <summary>Whether any members will do, not the nearest.</summary>
    public readonly bool IsAny => _isAny;

    /// <summary>The index of the key that the result is written to; 0: it is the reply.</summary>
    public int Destination { get; private set; }

    /// <summary>Whether distances are stored as scores.</summary>
    public bool StoresDistances { get; private set; }

    /// <param name="request">The request.</param>
    /// <param name="form">The command.</param>
    /// <param name="set">What is searched.</param>
    /// <param name="isAbsent">Whether the key is.</param>
    /// <param name="options">What was read.</param>
    /// <returns>False: there is a problem.</returns>
    public static bool TryParse(
        scoped in RespRequest request, GeoForm form, scoped in SortedSetSnapshot set, bool isAbsent,
        out GeoOptions options)
    {
        options = new GeoOptions { _index = form.FirstOption, Destination = form.IsStore ? 1 : 0 };
        bool isRead = options.TryReadFixed(request, form, set, isAbsent);
        while (isRead && options._index < request.Count)
            isRead = options.TryReadOption(request, form, set, isAbsent);
        if (isRead)
            options.Check(request, form);
        if (options._count > 0 && options.Direction == 0 && !options._isAny)
            options.Direction = 1; // The nearest ones are meant.
        return options.Problem.IsEmpty;
    }

    // The center and the shape that stand in front of the options.
    private bool TryReadFixed(
        scoped in RespRequest request, GeoForm form, scoped in SortedSetSnapshot set, bool isAbsent) =>
        form.CenterKind switch
        {
            GeoCenterKind.Position => TryReadPosition(request, 2) && TryReadCircle(request, 4),
            GeoCenterKind.Member => isAbsent || (TryReadMember(request, 2, set) && TryReadCircle(request, 3)),
            _ => true,
        };

    private bool TryReadOption(
        scoped in RespRequest request, GeoForm form, scoped in SortedSetSnapshot set, bool isAbsent)
    {
        var word = request[_index++];
        int left = request.Count - _index;
        if (word.Is("WITHDIST"u8))
            HasDistances = true;
        else if (word.Is("WITHHASH"u8))
            HasHashes = true;
        else if (word.Is("WITHCOORD"u8))
            HasPositions = true;
        else if (word.Is("ANY"u8))
            _isAny = true;
        else if (word.Is("ASC"u8))
            Direction = 1;
        else if (word.Is("DESC"u8))
            Direction = -1;
        else if (word.Is("COUNT"u8) && left >= 1)
            return TryReadCount(request[_index++]);
        else if (form.IsSearch)
            return TryReadSearchOption(word, left, request, form, set, isAbsent);
        else
            return TryReadStore(word, left, form);
        return true;
    }

    private bool TryReadCount(ReadOnlySpan<byte> word)
    {
        if (!RespInteger.TryParse(word, out _count))
            Problem = ErrorTexts.NotAnInteger;
        else if (_count <= 0)
            Problem = "ERR COUNT must be > 0"u8;
        return Problem.IsEmpty;
    }

    private bool TryReadStore(ReadOnlySpan<byte> word, int left, GeoForm form)
    {
        bool isDistance = word.Is("STOREDIST"u8);
        if (left < 1 || !form.MayStore || (!isDistance && !word.Is("STORE"u8)))
            return Refuse(ErrorTexts.Syntax);
        Destination = _index++;
        StoresDistances = isDistance;
        return true;
    }

    private bool TryReadSearchOption(
        ReadOnlySpan<byte> word, int left, scoped in RespRequest request, GeoForm form,
        scoped in SortedSetSnapshot set, bool isAbsent)
    {
        if (form.IsStore && word.Is("STOREDIST"u8))
        {
            StoresDistances = true;
            return true;
        }

        int first = _index;
        if (left >= 1 && !_hasPosition && word.Is("FROMMEMBER"u8))
        {
            (_hasMember, _index) = (true, first + 1);
            return isAbsent || TryReadMember(request, first, set);
        }

        if (left >= 2 && !_hasMember && word.Is("FROMLONLAT"u8))
        {
            (_hasPosition, _index) = (true, first + 2);
            return TryReadPosition(request, first);
        }

        if (left >= 2 && !_hasBox && word.Is("BYRADIUS"u8))
        {
            (_hasCircle, _index) = (true, first + 2);
            return TryReadCircle(request, first);
        }

        if (left < 3 || _hasCircle || !word.Is("BYBOX"u8))
            return Refuse(ErrorTexts.Syntax);
        (_hasBox, _index) = (true, first + 3);
        return Refuse(GeoArguments.ReadBox(request, first, out _shape));
    }

    private bool TryReadPosition(scoped in RespRequest request, int index) =>
        Refuse(GeoArguments.ReadPosition(request, index, out _center));

    private bool TryReadCircle(scoped in RespRequest request, int index) =>
        Refuse(GeoArguments.ReadCircle(request, index, out _shape));

    private bool TryReadMember(scoped in RespRequest request, int index, scoped in SortedSetSnapshot set)
    {
        if (!set.TryGetScore(request[index], out double score))
            return Refuse("ERR could not decode requested zset member"u8);
        _center = GeoCell.OfScore(score).Center;
        return true;
    }

    // What does not fit together.
    private void Check(scoped in RespRequest request, GeoForm form)
    {
        if (Destination > 0 && (HasDistances || HasHashes || HasPositions))
        {
            Refuse(form.IsStore
                ? "ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options"u8
                : "ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORD options"u8);
        }
        else if (form.IsSearch && !_hasMember && !_hasPosition)
            Refuse((byte[])[.. "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for "u8, .. request[0]]);
        else if (form.IsSearch && !_hasCircle && !_hasBox)
            Refuse((byte[])[.. "ERR exactly one of BYRADIUS and BYBOX can be specified for "u8, .. request[0]]);
        else if (_isAny && _count == 0)
            Refuse("ERR the ANY argument requires COUNT argument"u8);
    }

    /// <returns>Whether there is no problem.</returns>
    private bool Refuse(ReadOnlySpan<byte> problem)
    {
        Problem = problem;
        return problem.IsEmpty;
    }
}
