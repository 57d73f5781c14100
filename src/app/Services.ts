/** What happens, given the stores: every service of the domain, the same for the server, the CLI and the tests. */
import { Layer } from "effect"
import { ApiKeys } from "../apiKeys/ApiKeys.ts"
import { AuditLog } from "../audit/AuditLog.ts"
import { Authenticator } from "../auth/Authenticator.ts"
import { DevelopmentIssuer, JwtVerifierLive } from "../auth/DevelopmentIssuer.ts"
import { Gate } from "../auth/Gate.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"

export const ServicesLive = ApiKeys.layer.pipe(Layer.provideMerge(AuditLog.layer))

export const SandboxLive = Sandbox.layer.pipe(Layer.provideMerge(DevelopmentIssuer))

export const GateLive = Gate.layer.pipe(Layer.provide(Authenticator.layer), Layer.provide(JwtVerifierLive))
