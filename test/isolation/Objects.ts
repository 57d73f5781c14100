/** Creates one object of every kind that a path can name, from the documented examples. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { type Document, examplesOf, operationsOf } from "../contract/api/DocumentedOperations.ts"
import { deposit, openAccount, withdraw } from "../treasury/accounts/AccountFixtures.ts"
import { newLink } from "../hosted/links/LinkFixtures.ts"
import { freshAddress, invitedAgain, joined } from "../people/members/InvitationFixtures.ts"
import type { Cast, Credential } from "../support/TestCredentials.ts"
import { bodyOf, post, send } from "../support/Send.ts"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import type { OrgId } from "../../src/domain/Ids.ts"
import { Money } from "../../src/domain/Money.ts"
import { IncomingTransfers } from "../../src/treasury/accounts/IncomingTransfers.ts"
import { IncomingTransferStore } from "../../src/treasury/accounts/IncomingTransferStore.ts"
import { EscrowPayoutStore } from "../../src/treasury/escrow/EscrowPayoutStore.ts"
import { idFrom } from "../support/AnyId.ts"
import { nextId } from "../support/StoreFixtures.ts"

type Fields = Readonly<Record<string, unknown>>

export interface Makers {
  readonly owner: Cast
  readonly admin: Credential
}

export interface Made {
  /** Ids by path parameter. */
  readonly ids: Readonly<Record<string, string>>
  /** Other path parameters, which are no secrets. */
  readonly words?: Readonly<Record<string, string>>
  /** Request bodies by operation, where the example does not fit. */
  readonly bodies: Readonly<Record<string, Fields>>
}

export const requestExample = (document: Document, name: string): Fields => {
  const body = operationsOf(document).find((operation) => operation.name === name)?.about.requestBody
  const [example] = examplesOf(body)
  return { ...(example as Fields | undefined) }
}

const textOf = (value: unknown): string => {
  expect(value).toBeTypeOf("string")
  return String(value)
}

const make = (document: Document, path: string, credential: Credential, change: Fields = {}) =>
  Effect.map(
    post(`/v1${path}`, { ...credential }, { ...requestExample(document, `POST ${path}`), ...change }),
    (answer) => {
      expect(answer.status, `POST ${path}: ${answer.text}`).toBeLessThan(300)
      const body = bodyOf(answer) as Fields
      return (body["data"] ?? body["response"] ?? body) as Fields
    }
  )

const newestDelivery = (credential: Credential) =>
  Effect.map(send("/v1/public/webhooks/deliveries?limit=1", { headers: { ...credential } }), (answer) => {
    const { data } = bodyOf(answer) as { readonly data: ReadonlyArray<Fields> }
    return data[0] ?? {}
  })

/** A payout to an escrow party that needs a decision. */
const blockedPayout = (org_id: OrgId, escrow_id: string, party_id: string) =>
  Effect.gen(function* () {
    const store = yield* EscrowPayoutStore
    const [payout_id, payment_id, transaction_id, beneficiary_id] = yield* Effect.all([nextId, nextId, nextId, nextId])
    const initiator = { kind: "api_key", id: "k1", name: null, user_id: null, role: "org-admin" } as const
    yield* store.insert([
      {
        payout_id,
        org_id,
        escrow_id: idFrom(escrow_id),
        milestone_id: null,
        party_id,
        beneficiary_id,
        amount: new Money({ currency: CurrencyCode.make("KES"), minor: 100n }),
        description: "Roof",
        payment_id,
        transaction_id,
        initiator
      }
    ])
    const lease = { payout_id, org_id, lease_token: payout_id }
    yield* store.change(lease, { status: "blocked", reason: "No route.", dueIn: null })
    return String(payout_id)
  })

/** On a list of an organisation, or of the platform. */
const listed = (path: string, credential: Credential) =>
  Effect.gen(function* () {
    const entry = { list: "block", subject: "email", value: `${yield* nextId}@blocked.example` }
    const { data } = bodyOf(yield* post(path, { ...credential }, entry)) as { readonly data: Fields }
    return textOf(data["entry_id"])
  })

/** A rule of the organisation and one of the platform, with the same name. */
const ruled = (org_id: string, admin: Credential) =>
  Effect.gen(function* () {
    const body = JSON.stringify({ subject: "phone", max_count: 1, window_seconds: 60, action: "alert" })
    const headers = { "content-type": "application/json", ...admin }
    for (const path of ["/v1/rules", `/v1/organizations/${org_id}/rules`]) {
      yield* send(`${path}/isolated`, { method: "PUT", headers, body })
    }
    return "isolated"
  })

/** A transfer that names no known account. */
const unknownTransfer = Effect.gen(function* () {
  const [transfers, store] = [yield* IncomingTransfers, yield* IncomingTransferStore]
  const amount = new Money({ currency: CurrencyCode.make("NGN"), minor: 100n })
  const about = {
    id: String(yield* nextId),
    kind: "collection",
    amount,
    providerReference: "CUS_x",
    sender: null
  } as const
  yield* transfers.record({ provider: "paystack", account: null }, about)
  const open = yield* store.open(Option.none(), { after: Option.none(), take: 100 })
  return open.find(({ movement_id }) => movement_id === about.id)!.transfer_id
})

/** The invited person must be the one who accepts. */
const ADMIN = "admin@corridor.example"

interface Wanted {
  /** Path parameters to create objects for; default: all. */
  readonly names?: ReadonlyArray<string>
  /** The admin accepts the invitation. */
  readonly forAdmin?: boolean
}

/** A new path parameter needs a maker here. Mail goes to new addresses, since each has an hourly limit. */
export const makeObjects = (document: Document, { admin, owner }: Makers, { forAdmin = false, names }: Wanted = {}) =>
  Effect.gen(function* () {
    const { org_id } = owner
    const staff = owner.userId("staff")
    const key = yield* Effect.cached(make(document, "/public/api-keys", owner.key))
    const beneficiary = yield* Effect.cached(make(document, "/beneficiaries", owner.key))
    const view = yield* Effect.cached(
      Effect.flatMap(nextId, (name) => make(document, "/saved-views", owner.key, { name }))
    )
    const config = yield* Effect.cached(make(document, "/payments/provider-configs", admin, { org_id }))
    const payment = yield* Effect.cached(make(document, "/payments-init/initiate", owner.key))
    const webhook = yield* Effect.cached(
      make(document, "/public/webhooks", owner.key, { endpoint_url: "http://127.0.0.1:9/" })
    )
    const delivery = yield* Effect.cached(
      Effect.gen(function* () {
        yield* webhook
        yield* make(document, "/public/webhooks/notify", owner.key, { org_id })
        return yield* newestDelivery(owner.key)
      })
    )
    const member = yield* Effect.cached(joined(org_id, "member"))
    const verification = yield* Effect.cached(
      Effect.gen(function* () {
        const { transaction_id } = yield* payment
        const { user_id } = yield* member
        return yield* make(document, "/users/notifications/verification-request", owner.key, {
          ...{ user_id: staff, sender_id: user_id, target_type: "sender", transaction_id }
        })
      })
    )
    const account = yield* Effect.cached(
      Effect.tap(openAccount(owner.key, { org_id, user_id: staff }), ({ account_id }) =>
        deposit(owner.key, account_id, 100)
      )
    )
    const withdrawal = yield* Effect.cached(
      Effect.gen(function* () {
        const { account_id } = yield* account
        const beneficiary_id = textOf((yield* beneficiary)["beneficiary_id"])
        return yield* withdraw(owner.key, account_id, { amount: 100, beneficiary_id })
      })
    )
    const escrow = yield* Effect.cached(
      Effect.flatMap(account, ({ account_id }) =>
        make(document, "/virtual-accounts/escrow", admin, { org_id, account_id })
      )
    )
    const firstOf = (kind: "milestones" | "parties") =>
      Effect.map(escrow, (made) => (made[kind] as ReadonlyArray<Fields>)[0] ?? {})
    const payout = yield* Effect.cached(
      Effect.gen(function* () {
        const { escrow_id } = yield* escrow
        const { party_id } = yield* firstOf("parties")
        return yield* blockedPayout(org_id, textOf(escrow_id), textOf(party_id))
      })
    )
    const invitation = yield* Effect.cached(
      Effect.gen(function* () {
        return yield* invitedAgain(owner.key, org_id, forAdmin ? ADMIN : yield* freshAddress("member"))
      })
    )
    const link = yield* Effect.cached(newLink(owner, requestExample(document, "POST /orgs/{org_id}/payment-links")))

    /** One application at a time: the first call starts it, later ones find it. */
    const application = yield* Effect.cached(
      Effect.gen(function* () {
        yield* send(`/v1/organizations/${org_id}/kyb`, { method: "POST", headers: { ...admin } })
        const shown = yield* send(`/v1/organizations/${org_id}`, { headers: { ...admin } })
        return (bodyOf(shown) as { readonly data: Fields }).data
      })
    )

    const textIn = <E, R>(made: Effect.Effect<Fields, E, R>, name: string) =>
      Effect.map(made, (fields) => textOf(fields[name]))
    const ids = {
      org_id: Effect.succeed(org_id),
      account_id: Effect.map(account, ({ account_id }) => account_id),
      api_key_id: textIn(key, "api_key_id"),
      beneficiary_id: textIn(beneficiary, "beneficiary_id"),
      config_id: textIn(config, "config_id"),
      delivery_id: textIn(delivery, "delivery_id"),
      entry_id: listed(`/v1/organizations/${org_id}/lists`, owner.key),
      escrow_id: textIn(escrow, "escrow_id"),
      invitation_id: Effect.map(invitation, ({ invitation_id }) => invitation_id),
      link_id: Effect.map(link, ({ link_id }) => link_id),
      milestone_id: textIn(firstOf("milestones"), "milestone_id"),
      party_id: textIn(firstOf("parties"), "party_id"),
      payment_id: textIn(payment, "payment_id"),
      payout_id: payout,
      platform_entry_id: listed("/v1/lists", admin),
      request_id: textIn(verification, "request_id"),
      transaction_id: Effect.map(withdrawal, ({ transaction_id }) => transaction_id),
      transfer_id: unknownTransfer,
      user_id: Effect.map(member, ({ user_id }) => user_id),
      view_id: textIn(view, "view_id"),
      webhook_id: textIn(webhook, "webhook_id")
    }
    const words = {
      kyb_customer_id: textIn(application, "kyb_customer_id"),
      provider: textIn(config, "provider"),
      permission: Effect.succeed("payouts"),
      rule_name: ruled(org_id, admin),
      token: Effect.map(invitation, ({ token }) => token)
    }
    const wanted = <Makers extends Readonly<Record<string, unknown>>>(makers: Makers) =>
      Object.fromEntries(
        Object.entries(makers).filter(([name]) => names === undefined || names.includes(name))
      ) as Makers
    const needsMilestone = names === undefined || names.includes("milestone_id")
    return {
      ids: yield* Effect.all(wanted(ids)),
      words: yield* Effect.all(wanted(words)),
      bodies: needsMilestone
        ? {
            "PUT /virtual-accounts/escrow/{escrow_id}/milestones/{milestone_id}/parties": {
              parties: (yield* firstOf("milestones"))["parties"]
            }
          }
        : {}
    } satisfies Made as Made
  })
