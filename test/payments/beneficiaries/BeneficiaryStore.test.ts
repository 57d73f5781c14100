import { expect } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import type { UserId } from "../../../src/domain/Ids.ts"
import { checkBeneficiary, type Draft, BeneficiaryStore } from "../../../src/payments/beneficiaries/Beneficiary.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { nilId } from "../../support/AnyId.ts"
import { type PaymentStatus, paymentStatuses } from "../../../src/domain/PaymentStatus.ts"
import { newMember, newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { mpesa } from "./Examples.ts"
import { newPaymentTo } from "./PaymentTo.ts"

const fieldsOf = (about: Partial<Draft> = {}) =>
  Either.getOrThrow(
    checkBeneficiary({ ...mpesa, country: CountryCode.make("KE"), currency: CurrencyCode.make("KES"), ...about })
  )

const newOwner = Effect.gen(function* () {
  const { org_id } = yield* newOrganization()
  const { user_id } = yield* newMember(org_id, "member")
  const store = yield* BeneficiaryStore
  const make = (about: Partial<Draft> = {}, beneficiary_of = user_id) =>
    Effect.flatMap(nextId, (beneficiary_id) =>
      store.insert({ ...fieldsOf(about), beneficiary_id, org_id, beneficiary_of })
    )
  return { org_id, user_id, scope: Option.some(org_id), make }
})

onBothStores("BeneficiaryStore", (it) => {
  it.effect("gives back what was put in, details and all", () =>
    Effect.gen(function* () {
      const store = yield* BeneficiaryStore
      const { make, org_id, scope, user_id } = yield* newOwner
      const about = { fname: "Zoë", loan_client_details: { loan_id: "L'1" }, external_account_id: "RCP_1" }
      const made = yield* make(about)
      expect(made).toMatchObject({ ...fieldsOf(about), org_id, beneficiary_of: user_id })
      expect(made.created_at).toBeInstanceOf(Date)
      expect(Object.keys(made)).not.toContain("deleted_at")
      for (const look of [store.find, store.findForUpdate]) {
        expect(yield* look(scope, made.beneficiary_id)).toEqual(Option.some(made))
      }
      expect(yield* store.list(scope, Option.none(), everything)).toEqual([made])
    })
  )

  it.effect("shows and changes only what is in scope", () =>
    Effect.gen(function* () {
      const store = yield* BeneficiaryStore
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      const made = yield* theirs.make()
      const id = made.beneficiary_id
      expect(yield* store.update(mine.scope, id, fieldsOf({ fname: "Eve" }))).toEqual(Option.none())
      yield* store.remove(mine.scope, id)
      expect(yield* store.find(mine.scope, id)).toEqual(Option.none())
      expect(yield* store.findForUpdate(mine.scope, id)).toEqual(Option.none())
      expect(yield* store.list(mine.scope, Option.none(), everything)).toEqual([])
      expect(yield* store.find(Option.none(), id)).toEqual(Option.some(made))
      expect(yield* store.list(Option.none(), Option.none(), everything)).toContainEqual(made)
      expect(yield* store.find(theirs.scope, nilId)).toEqual(Option.none())
    })
  )

  it.effect("lists newest first, page by page", () =>
    Effect.gen(function* () {
      const store = yield* BeneficiaryStore
      const { make, scope } = yield* newOwner
      const three = Effect.replicateEffect(make(), 3)
      const made = [...(yield* atOneMoment(three)), ...(yield* atOneMoment(three)), yield* make()]
      yield* expectWindows(
        made,
        (window) => store.list(scope, Option.none(), window),
        (row) => row.beneficiary_id
      )
    })
  )

  it.effect("lists what one user made", () =>
    Effect.gen(function* () {
      const store = yield* BeneficiaryStore
      const { make, org_id, scope, user_id } = yield* newOwner
      const other = yield* newMember(org_id, "staff")
      const mine = yield* make()
      const hers = yield* make({}, other.user_id)
      const listOf = (user: UserId) => store.list(scope, Option.some(user), everything)
      expect(yield* listOf(user_id)).toEqual([mine])
      expect(yield* listOf(other.user_id)).toEqual([hers])
      expect(yield* listOf(nilId)).toEqual([])
    })
  )

  it.effect("changes every field and nothing else", () =>
    Effect.gen(function* () {
      const store = yield* BeneficiaryStore
      const { make, scope } = yield* newOwner
      const [made, neighbour] = [yield* make(), yield* make()]
      const fields = {
        ...fieldsOf({ fname: "Grace", lname: "Hopper", beneficiary_type: "business", email: "g@h.example" }),
        momo_details: { provider: "Airtel Money", phone_number: "+254733000000" },
        loan_client_details: { loan_id: "1", loan_reference: "2" },
        phone_number: "+254733000000",
        external_account_id: "x"
      }
      const changed = Option.getOrThrow(yield* store.update(scope, made.beneficiary_id, fields))
      expect(changed).toEqual({ ...made, ...fields, updated_at: changed.updated_at })
      expect(changed.updated_at.getTime()).toBeGreaterThanOrEqual(made.updated_at.getTime())
      expect(yield* store.find(scope, made.beneficiary_id)).toEqual(Option.some(changed))
      expect(yield* store.find(scope, neighbour.beneficiary_id)).toEqual(Option.some(neighbour))
    })
  )

  it.effect("hides a removed one, though payments refer to it", () =>
    Effect.gen(function* () {
      const store = yield* BeneficiaryStore
      const { make, scope } = yield* newOwner
      const [made, kept] = [yield* make(), yield* make()]
      const id = made.beneficiary_id
      yield* newPaymentTo(made, "completed")
      yield* store.remove(scope, id)
      for (const seen of [scope, Option.none()]) {
        expect(yield* store.find(seen, id)).toEqual(Option.none())
        expect(yield* store.findForUpdate(seen, id)).toEqual(Option.none())
        expect(yield* store.update(seen, id, fieldsOf())).toEqual(Option.none())
      }
      expect(yield* store.list(scope, Option.none(), everything)).toEqual([kept])
      yield* store.remove(scope, id)
    })
  )

  it.effect("knows whether a payment to it is under way", () =>
    Effect.gen(function* () {
      const store = yield* BeneficiaryStore
      const [{ make, scope }, other] = yield* Effect.all([newOwner, newOwner])
      const neighbour = yield* make()
      const seen: Array<PaymentStatus> = []
      for (const status of paymentStatuses) {
        const made = yield* make()
        expect(yield* store.hasPaymentUnderWay(scope, made.beneficiary_id)).toBe(false)
        yield* newPaymentTo(made, status)
        if (yield* store.hasPaymentUnderWay(scope, made.beneficiary_id)) seen.push(status)
        expect(yield* store.hasPaymentUnderWay(other.scope, made.beneficiary_id)).toBe(false)
      }
      expect(seen).toEqual(["initiated", "reviewed", "confirmed", "processing", "pending"])
      expect(yield* store.hasPaymentUnderWay(scope, neighbour.beneficiary_id)).toBe(false)
    })
  )
})
