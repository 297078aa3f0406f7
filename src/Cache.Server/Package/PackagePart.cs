using System.Buffers;

namespace Cache.Server.Package;

/// <summary>A part of a package: a file in its zip.</summary>
/// <param name="Name">The name of the file.</param>
/// <param name="Write">Writes its bytes.</param>
internal sealed record PackagePart(string Name, Action<IBufferWriter<byte>, PackageSource> Write);
