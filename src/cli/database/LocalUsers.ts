/** `corridor users create` and `join`, `tokens` and `notifications`, which the API does not have. */
import { Effect, Option, DateTime, Duration } from "effect"
import { uuidOrNil } from "../../domain/Ids.ts"
import type { Role } from "../../domain/Roles.ts"
import { Users, UserInput } from "../../people/users/Users.ts"
import type { Member, User } from "../../people/users/UserStore.ts"
import { mapRefusal } from "../../platform/database/DatabaseFailure.ts"
import { type Notification, Outbox } from "../../platform/notifications/NotificationStore.ts"
import { allPages, findOrganization, findUser, onRecords, permitFor, permitIn } from "../shared/LocalDatabase.ts"
import { decodeInput, type JsonInput, type OrgInput, refuse } from "../shared/CommandInput.ts"
import { minute, properties, printable, tableOf } from "../shared/Table.ts"
import { Members } from "../../people/members/Members.ts"
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
import type { newUser } from "../commands/PeopleCommands.ts"
import type { Input } from "../shared/Command.ts"
import { traced } from "../../platform/observability/Spans.ts"

const roleOf = (user: Member): string | null => (user.is_admin ? "platform admin" : user.role)

const about = (user: Member): string =>
  properties([
    ["Id", user.user_id],
    ["E-mail", user.email],
    ["Subject", user.subject],
    ["Country", user.country],
    ["Organisation", user.org_id],
    ["Role", roleOf(user)]
  ])

/** The organisation as it was typed: only the database can tell whether there is one. */
const membershipOf = traced("Cli.membershipOf")(function* (org: Option.Option<string>, role: Option.Option<Role>) {
  if (Option.isNone(org) && Option.isNone(role)) return null
  if (Option.isNone(org)) return yield* refuse("--role is a role in an organisation: say which one with --org.")
  if (Option.isNone(role)) return yield* refuse("--org needs --role: org-admin, staff or member.")
  return { org_id: org.value, role: role.value }
})

const createOne = onRecords(
  Effect.fnUntraced(function* ({ wanted }: JsonInput & { readonly wanted: typeof UserInput.Type }) {
    const users = yield* Users
    const membership =
      wanted.membership === null
        ? null
        : { ...wanted.membership, org_id: (yield* findOrganization(wanted.membership.org_id)).org_id }
    const taken = wanted.subject === null ? "--email" : "--email or --subject"
    const data = yield* users
      .create(yield* permitFor("platform"), { ...wanted, membership })
      .pipe(Effect.catchTag("Conflict", () => refuse(`${taken}: another user has it already; use another one.`)))
    return { data, text: `User created.\n${about(data)}` }
  })
)

export const create = Effect.fnUntraced(function* (input: Input<typeof newUser>) {
  const wanted = yield* decodeInput(UserInput, {
    email: input.email,
    country: Option.getOrNull(input.country),
    subject: Option.getOrNull(input.subject),
    is_admin: input.admin,
    membership: yield* membershipOf(input.org, input.role)
  })
  yield* createOne({ json: input.json, wanted })
})

export const join = onRecords(
  Effect.fnUntraced(function* (
    input: JsonInput & { readonly user: string; readonly org: string; readonly role: Role }
  ) {
    const members = yield* Members
    const { email, user_id } = yield* findUser(input.user)
    const { name, org_id } = yield* findOrganization(input.org)
    const data = yield* members
      .add(yield* permitFor("platform", Option.some(org_id)), user_id, input.role)
      .pipe(
        Effect.catchTag("Conflict", () =>
          refuse(`--user: ${email} is a member of this organisation already; "corridor users role" changes their role.`)
        )
      )
    return { data, text: `${email} is now ${input.role} of ${printable(name)}.` }
  })
)

/** `corridor tokens` */
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

/** Organisation of a token; undefined for a user without one, who can only accept an invitation with it. */
const organizationFor = traced("Cli.organizationFor")(function* (user: User, named: Option.Option<string>) {
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

/** Refuses before the key of the development issuer is made. */
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

interface TokenInput extends OrgInput {
  readonly user: string
}

const issueOne = onRecords(
  Effect.fnUntraced(function* ({ org, ttl, user: name }: TokenInput & { readonly ttl: Duration.Duration }) {
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
)

export const issue = Effect.fnUntraced(function* (input: TokenInput & { readonly ttl: Option.Option<string> }) {
  const ttl = yield* ttlFrom(input.ttl)
  yield* sandboxOnly
  yield* issueOne({ ...input, ttl })
})

/** `corridor notifications` */
/** The text may hold the token of an invitation: only "show" shows it. */
const withoutText = ({ text: _text, ...rest }: Notification) => rest

const messageTable = tableOf<Notification>(
  {
    ID: "notification_id",
    KIND: "kind",
    PRIORITY: "priority",
    TO: "to",
    SUBJECT: "subject",
    CREATED: (one) => minute(one.created_at)
  },
  "The outbox is empty.",
  ["KIND", "CREATED", "PRIORITY"]
)

export const listMessages = onRecords(
  Effect.fnUntraced(function* ({ org }: OrgInput) {
    const outbox = yield* Outbox
    const permit = yield* permitIn("platform", org)
    const all = yield* allPages(
      (window) => outbox.list(permit, window),
      (notification) => notification.notification_id
    )
    return { data: all.map(withoutText), ...messageTable(all) }
  })
)

const messageText = (one: Notification): string => {
  const facts = properties([
    ["Notification", one.notification_id],
    ["Organisation", one.org_id],
    ["Kind", one.kind],
    ["Priority", one.priority],
    ["To", one.to],
    ["Subject", one.subject],
    ["Created", one.created_at.toISOString()]
  ])
  return `${facts}\n\n${one.text}`
}

export const showMessage = onRecords(
  Effect.fnUntraced(function* ({ id }: JsonInput & { readonly id: string }) {
    const outbox = yield* Outbox
    const data = yield* outbox
      .show(yield* permitFor("platform"), uuidOrNil(id))
      .pipe(
        mapRefusal(() =>
          refuse(`There is no notification with the id ${id} ("corridor notifications list" shows them).`)
        )
      )
    return { data, text: messageText(data) }
  })
)
