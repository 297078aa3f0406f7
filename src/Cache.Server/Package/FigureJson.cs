using System.Text.Json.Serialization;
using Cache.Server.Doctor;

namespace Cache.Server.Package;

/// <summary>The doctor's figures as JSON, without reflection.</summary>
[JsonSerializable(typeof(DoctorFigures))]
internal sealed partial class FigureJson : JsonSerializerContext;
