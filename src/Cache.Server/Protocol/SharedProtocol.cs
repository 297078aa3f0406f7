// What client and server share of the protocol lies in a package of its own; whoever sees this folder sees that one.
global using Cache.Protocol;

namespace Cache.Server.Protocol;
