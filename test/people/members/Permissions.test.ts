import { HttpApi, type HttpApiEndpoint } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import { Api } from "../../../src/contract/api/Api.ts"
import { Needs } from "../../../src/contract/api/Operation.ts"
import { accessTable, type Permission, permissionRoles, permissions } from "../../../src/domain/Access.ts"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { fetchDocument } from "../../contract/api/DocumentedOperations.ts"
import { requestExample } from "../../isolation/Objects.ts"
import { payoutByPhone } from "../../payments/support/Requests.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { type Answer, bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { joined, membersOf } from "./InvitationFixtures.ts"

type Fields = Readonly<Record<string, unknown>>

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: Fields
}

const messageOf = (answer: Answer) => (bodyOf(answer) as { readonly message: string }).message

const ask = (credential: Credential, { body, method, path }: Call) =>
  send(path, {
    method,
    headers: { ...credential, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

const at = (org_id: string, user_id: string) => `${membersOf(org_id)}/${user_id}/permissions`

const grant = (credential: Credential, org_id: string, user_id: string, permission: unknown) =>
  ask(credential, { method: "POST", path: at(org_id, user_id), body: { permission } })

const revoke = (credential: Credential, org_id: string, user_id: string, permission: string) =>
  ask(credential, { method: "DELETE", path: `${at(org_id, user_id)}/${permission}` })

const replace = (credential: Credential, org_id: string, user_id: string, all: unknown) =>
  ask(credential, { method: "PUT", path: at(org_id, user_id), body: { permissions: all } })

const check = (credential: Credential, org_id: string, user_id: string, permission: string) =>
  ask(credential, { method: "GET", path: `${at(org_id, user_id)}/check?permission=${permission}` })

const granted = (answer: Answer) => {
  expect(answer.status, answer.text).toBe(200)
  return (bodyOf(answer) as { readonly data: { readonly permissions: unknown } }).data.permissions
}

/** Cases in which the content of a request decides which permission is needed. */
const byContent: Partial<Record<Permission, ReadonlyArray<Call>>> = {
  payouts: [{ method: "POST", path: "/v1/payments-init/initiate", body: payoutByPhone(nilUuid) }],
  refunds: [{ method: "POST", path: `/v1/payments-init/${nilUuid}/action`, body: { action: "refund" } }],
  reviews: ["review", "reject"].map((action) => ({
    ...{ method: "POST", path: `/v1/payments-init/${nilUuid}/action`, body: { action } }
  }))
}

/** Every operation of the contract that a permission opens, with the example of its reference. */
const operationsOf = (permission: Permission, org_id: string) =>
  Effect.map(fetchDocument, (document): ReadonlyArray<Call> => {
    const found: Array<Call> = [...(byContent[permission] ?? [])]
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        const one = endpoint as unknown as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
        const needed = Option.map(Context.getOption(one.annotations, Needs), (access) => accessTable[access])
        if (!Option.exists(needed, (one) => "permission" in one && one.permission === permission)) return
        const name = `${one.method} ${one.path.replace(/^\/v1/, "").replace(/:(\w+)/g, "{$1}")}`
        const example = requestExample(document, name)
        // Grants never allow a role above the granter's own, or acting in another organisation.
        const body = {
          ...example,
          ...("role" in example ? { role: "member" } : {}),
          ...("org_id" in example ? { org_id } : {})
        }
        const path = one.path.replace(/:(\w+)/g, (_, parameter: string) =>
          parameter === "org_id" ? org_id : parameter === "permission" ? "payouts" : nilUuid
        )
        found.push({ method: one.method, path, ...(Option.isSome(one.payloadSchema) ? { body } : {}) })
      }
    })
    return found
  })

const inTable = permissions.filter((permission) =>
  Object.values(accessTable).some((needed) => "permission" in needed && needed.permission === permission)
)

onDatabaseServer("Permissions", (it) => {
  it.effect.each(inTable)(
    "“%s” opens its operations to a member, and closes them when it is taken back",
    (permission) =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const member = yield* joined(acme.org_id, "member")
        const operations = yield* operationsOf(permission, acme.org_id)
        expect(operations.length, "an operation that asks by content goes into the list above").toBeGreaterThan(0)
        const statuses = Effect.forEach(operations, (call) =>
          Effect.map(ask(member.credential, call), ({ status, text }) => {
            expect(status, `${call.method} ${call.path}: ${text}`).toBeLessThan(500)
            return [`${call.method} ${call.path}`, status === 403] as const
          })
        )
        const all = (refused: boolean) => operations.map(({ method, path }) => [`${method} ${path}`, refused])
        expect(yield* statuses, "before").toEqual(all(true))
        expect(granted(yield* grant(acme.key, acme.org_id, member.user_id, permission))).toEqual([permission])
        expect(yield* statuses, "granted").toEqual(all(false))
        expect((yield* revoke(acme.key, acme.org_id, member.user_id, permission)).status).toBe(204)
        expect(yield* statuses, "taken back").toEqual(all(true))
      })
  )

  it.effect("are granted, replaced, revoked and checked, each change once in the audit log", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { user_id } = yield* joined(acme.org_id, "member")
      const boss = acme.token("org-admin")
      const on = [boss, acme.org_id, user_id] as const
      expect(granted(yield* grant(...on, "refunds"))).toEqual(["refunds"])
      expect(granted(yield* grant(...on, "refunds")), "twice changes nothing").toEqual(["refunds"])
      expect(granted(yield* replace(...on, ["webhooks", "payouts", "payouts"]))).toEqual(["payouts", "webhooks"])
      expect((yield* revoke(...on, "payouts")).status).toBe(204)
      expect((yield* revoke(...on, "payouts")).status, "twice changes nothing").toBe(204)
      const allowed = (permission: string) =>
        Effect.map(check(...on, permission), (answer) => {
          expect(answer.status).toBe(200)
          return bodyOf(answer)
        })
      const body = (is: boolean) => ({ status: "success", message: "Permission checked", data: { allowed: is } })
      expect(yield* allowed("webhooks")).toEqual(body(true))
      expect(yield* allowed("payouts")).toEqual(body(false))
      const audit = yield* ask(boss, {
        method: "GET",
        path: "/v1/audit-log?action=member.permissions_changed&limit=100"
      })
      const { data } = bodyOf(audit) as { readonly data: ReadonlyArray<Fields> }
      const mine = data.filter((row) => row["subject_id"] === user_id)
      expect(mine.map(({ actor_id, detail }) => [actor_id, detail])).toEqual(
        [
          { granted: [], revoked: ["payouts"] },
          { granted: ["payouts", "webhooks"], revoked: ["refunds"] },
          { granted: ["refunds"], revoked: [] }
        ].map((detail) => [acme.userId("org-admin"), detail])
      )
    })
  )

  it.effect("come with a role too, as a check says", () =>
    Effect.gen(function* () {
      const { acme, adminId } = yield* people
      for (const permission of permissions) {
        for (const role of ["member", "staff", "org-admin"] as const) {
          const answer = yield* check(acme.key, acme.org_id, acme.userId(role), permission)
          const own = role === "org-admin" || role === permissionRoles[permission]
          expect(bodyOf(answer), `${role} ${permission}`).toMatchObject({ data: { allowed: own } })
        }
      }
      expect((yield* check(acme.key, acme.org_id, adminId, "payouts")).status, "no member").toBe(404)
    })
  )

  it.effect("cannot be granted by a member without them", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const [helper, member] = yield* Effect.all([joined(acme.org_id, "staff"), joined(acme.org_id, "member")])
      expect(granted(yield* replace(acme.key, acme.org_id, helper.user_id, ["members", "webhooks"]))).toHaveLength(2)
      const by = helper.credential
      for (const permission of permissions) {
        const holds = permissionRoles[permission] === "staff" || ["members", "webhooks"].includes(permission)
        const answer = yield* grant(by, acme.org_id, member.user_id, permission)
        expect(answer.status, permission).toBe(holds ? 200 : 403)
        if (!holds) expect(messageOf(answer)).toMatch(new RegExp(`that you do not have: ${permission}`))
      }
      const before = granted(yield* grant(admin, acme.org_id, member.user_id, "api_keys")) as ReadonlyArray<string>
      expect((yield* replace(by, acme.org_id, member.user_id, ["payouts", "escrow"])).status, "all or none").toBe(403)
      expect(granted(yield* grant(by, acme.org_id, member.user_id, "payouts"))).toEqual(before)
      expect(
        granted(yield* replace(by, acme.org_id, member.user_id, ["payouts", "api_keys"])),
        "what is there"
      ).toEqual(["api_keys", "payouts"])
      for (const role of ["staff", "member"] as const) {
        expect((yield* grant(acme.token(role), acme.org_id, member.user_id, "payouts")).status, role).toBe(403)
      }
    })
  )

  it.effect("stay with the person: a key of theirs has its role alone", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { credential, user_id } = yield* joined(acme.org_id, "member")
      expect(granted(yield* grant(acme.key, acme.org_id, user_id, "api_keys"))).toEqual(["api_keys"])
      const made = yield* ask(credential, {
        ...{ method: "POST", path: "/v1/public/api-keys", body: { name: "Own", role: "member" } }
      })
      const { api_key } = (bodyOf(made) as { readonly data: { readonly api_key: string } }).data
      const key = { authorization: "NONE", "x-api-key": api_key }
      expect((yield* ask(key, { method: "GET", path: "/v1/beneficiaries" })).status).toBe(200)
      expect((yield* ask(key, { method: "GET", path: "/v1/public/api-keys" })).status).toBe(403)
    })
  )

  it.effect("that are none are 400, naming those there are", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const on = [acme.key, acme.org_id, acme.userId("member")] as const
      const named = permissions.join(", ")
      for (const wrong of ["everything", "PAYOUTS", "toString"]) {
        const answers: ReadonlyArray<readonly [string, Answer]> = [
          ["permission", yield* grant(...on, wrong)],
          ["permissions[1]", yield* replace(...on, ["payouts", wrong])],
          ["permission", yield* revoke(...on, wrong)],
          ["permission", yield* check(...on, wrong)]
        ]
        for (const [field, answer] of answers) {
          const message = `${field}: is not a permission: use one of ${named}.`
          expect([answer.status, bodyOf(answer)], wrong).toEqual([400, { status: "error", message }])
        }
      }
      expect((yield* replace(...on, "payouts")).status).toBe(400)
      expect((yield* ask(acme.key, { method: "GET", path: `${at(acme.org_id, on[2])}/check` })).status).toBe(400)
    })
  )
})
