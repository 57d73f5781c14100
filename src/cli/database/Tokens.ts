/** `corridor tokens` */
import { DateTime, Duration, Effect, Option } from "effect"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import {
  developmentAudience,
  DevelopmentIssuer,
  developmentIssuer,
  issuesTokens,
  TokenSigner
} from "../../people/auth/DevelopmentIssuer.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { developmentTokenTtl } from "../../domain/policies/PeoplePolicies.ts"
import type { User } from "../../people/users/UserStore.ts"
import { Users } from "../../people/users/Users.ts"
import { refuse } from "../shared/CommandInput.ts"
import { findOrganization, findUser } from "../shared/LookUp.ts"
import { permitFor } from "../shared/LocalDatabase.ts"
import { onRecords } from "../shared/OnRecords.ts"

const LONGEST = Duration.days(366)

const ttlFrom = (text: Option.Option<string>) => {
  const ttl = Option.match(text, {
    onNone: () => developmentTokenTtl,
    onSome: (typed) => Option.getOrElse(Duration.decodeUnknown(typed), () => Duration.zero)
  })
  return Duration.lessThan(ttl, Duration.seconds(1)) || Duration.greaterThan(ttl, LONGEST)
    ? Effect.fail(refuse('--ttl is not a duration of 1 second to 366 days, such as "90 minutes" or "12 hours".'))
    : Effect.succeed(ttl)
}

/** None for someone who belongs to none yet: with such a token they accept an invitation, and nothing else. */
const organizationFor = Effect.fn("Cli.organizationFor")(function* (user: User, named: Option.Option<string>) {
  const users = yield* Users
  const own = (yield* users.membershipsOf(user.user_id)).map(({ org_id }) => org_id)
  if (Option.isSome(named)) {
    const { org_id } = yield* findOrganization(named.value)
    if (user.is_admin || own.includes(org_id)) return org_id
    return yield* refuse(`--org: ${user.email} is not a member of this organisation.`)
  }
  if (user.is_admin || own.length <= 1) return own[0]
  return yield* refuse(`--org: ${user.email} belongs to several organisations, name one of ${own.join(", ")}.`)
})

/** Comes before everything else: where the development issuer has no place, its key must not even be made. */
const sandboxOnly = Effect.gen(function* () {
  if (yield* issuesTokens) return
  const { mode } = yield* Settings
  return yield* refuse(
    mode === "live"
      ? "Tokens are issued in sandbox mode only; in live mode they come from your identity provider."
      : "Tokens come from your identity provider, since JWT_JWKS_URL or JWT_JWKS_FILE is set; unset it to use the development issuer."
  )
}).pipe(Effect.provide(Settings.layer))

const sign = ({ email, subject }: User, orgId: string | undefined, ttl: Duration.Duration) =>
  Effect.flatMap(TokenSigner, (signer) =>
    signer.issue({ sub: subject, email, orgId, ttl, issuer: developmentIssuer, audience: developmentAudience })
  ).pipe(Effect.provide(DevelopmentIssuer))

const issueOne = Effect.fn("Cli.issueToken")(function* (
  name: string,
  org: Option.Option<string>,
  ttl: Duration.Duration
) {
  const user = yield* findUser(name)
  const orgId = yield* organizationFor(user, org)
  const audit = yield* AuditLog
  yield* audit.record(yield* permitFor("platform"), {
    action: "token.issued",
    org: orgId ?? null,
    subject: ["user", user.user_id],
    detail: { ttl_seconds: Math.floor(Duration.toSeconds(ttl)) }
  })
  const token = yield* sign(user, orgId, ttl)
  const expires = DateTime.addDuration(yield* DateTime.now, ttl)
  return {
    data: { token, user_id: user.user_id, org_id: orgId ?? null, expires_at: DateTime.formatIso(expires) },
    text: token
  }
})

export const issue = Effect.fnUntraced(function* (input: {
  readonly user: string
  readonly org: Option.Option<string>
  readonly ttl: Option.Option<string>
  readonly json: boolean
}) {
  const ttl = yield* ttlFrom(input.ttl)
  yield* sandboxOnly
  yield* onRecords(input.json, issueOne(input.user, input.org, ttl))
})
