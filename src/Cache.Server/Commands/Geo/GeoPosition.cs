namespace Cache.Server.Commands.Geo;

/// <summary>A point of the earth, in degrees.</summary>
internal readonly record struct GeoPosition(double Longitude, double Latitude)
{
    /// <summary>The limits of what has a score; they are those of the Mercator projection that is a square.</summary>
    public const double LongitudeMax = 180;
    public const double LatitudeMax = 85.05112878;

    /// <summary>Of the sphere, in meters.</summary>
    public const double EarthRadius = 6372797.560856;

    private const double DegreeInRadians = Math.PI / 180.0;

    /// <summary>Whether it may have a score.</summary>
    public bool IsValid =>
        Longitude is >= -LongitudeMax and <= LongitudeMax && Latitude is >= -LatitudeMax and <= LatitudeMax;

    public static double ToRadians(double degrees) => degrees * DegreeInRadians;

    public static double ToDegrees(double radians) => radians / DegreeInRadians;

    /// <summary>The length of the great circle between two points in meters, by the haversine formula.</summary>
    /// <remarks>The operations and their order are Redis's, so that results are the same to the last bit.</remarks>
    public double DistanceTo(GeoPosition other)
    {
        double latitude = ToRadians(Latitude);
        double otherLatitude = ToRadians(other.Latitude);
        double v = Math.Sin((ToRadians(other.Longitude) - ToRadians(Longitude)) / 2);
        if (v == 0)
            return EarthRadius * Math.Abs(otherLatitude - latitude); // On one meridian.
        double u = Math.Sin((otherLatitude - latitude) / 2);
        double sine = Math.Sqrt(u * u + Math.Cos(latitude) * Math.Cos(otherLatitude) * v * v);
        return 2.0 * EarthRadius * Math.Asin(Math.Min(sine, 1)); // Rounding may pass 1 at the antipodes.
    }
}
