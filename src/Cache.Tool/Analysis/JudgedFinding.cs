using Cache.Server.Doctor;

namespace Cache.Tool.Analysis;

/// <summary>A finding, and what the package has of it besides.</summary>
/// <param name="Finding">What the doctor says.</param>
/// <param name="Series">What its figures were in the last ten minutes.</param>
/// <param name="At">The Unix second of the end of the minute in which it was so; 0: it is so now.</param>
internal sealed record JudgedFinding(Finding Finding, IReadOnlyList<SeriesSummary> Series, long At = 0);
