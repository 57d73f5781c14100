/** From the ids in a verification request to the people of the organisation whom they name. */
import { Context, Effect, Layer, Option } from "effect"
import { BeneficiaryId, type OrgId, UserId } from "../../domain/Identifiers.ts"
import { VerificationSubjects } from "./VerificationSubjects.ts"
import { idOrNil } from "../../domain/Ids.ts"
import type { User } from "../users/User.ts"
import { Users } from "../users/Users.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export type Target = "beneficiary" | "sender"

/** Without an address there is nobody to notify, and `reason` says why. */
export type Recipient = { readonly address: string } | { readonly reason: string }

export class Recipients extends Context.Tag("corridor/VerificationRecipients")<
  Recipients,
  {
    /** A user who belongs to the organisation. */
    readonly member: (orgId: OrgId, given: string) => Stored<Option.Option<User>>
    readonly recipient: (orgId: OrgId, target: Target, given: string) => Stored<Recipient>
  }
>() {
  static readonly layer = Layer.effect(
    Recipients,
    Effect.gen(function* () {
      const users = yield* Users
      const subjects = yield* VerificationSubjects

      const member = Effect.fnUntraced(function* (orgId: OrgId, given: string) {
        const userId = idOrNil(UserId)(given)
        return (yield* users.isMember(orgId, userId)) ? yield* users.find(userId) : Option.none<User>()
      })

      const recipient = Effect.fnUntraced(function* (orgId: OrgId, target: Target, given: string) {
        if (target === "sender") {
          return Option.match(yield* member(orgId, given), {
            onNone: (): Recipient => ({ reason: "No sender with this id." }),
            onSome: ({ email }): Recipient => ({ address: email })
          })
        }
        return Option.match(yield* subjects.beneficiary(orgId, idOrNil(BeneficiaryId)(given)), {
          onNone: (): Recipient => ({ reason: "No beneficiary with this id." }),
          onSome: ({ email }): Recipient =>
            email === null ? { reason: "The beneficiary has no e-mail address." } : { address: email }
        })
      })

      return { member, recipient }
    })
  )
}
