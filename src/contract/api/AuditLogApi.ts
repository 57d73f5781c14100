/** The audit log: who changed keys, roles, configurations and rates. */
import { Schema } from "effect"
import { OrgId } from "../../domain/Ids.ts"
import { get, operation, apiGroup, pageExample } from "./Operation.ts"
import { Id, idOf, OrgParam, pageOf, PageParams, Timestamp } from "./Envelope.ts"
import { FromTime, ToTime } from "./RequestFields.ts"

export const AuditEntry = Schema.Struct({
  audit_id: Id,
  org_id: Schema.NullOr(idOf(OrgId)).annotations({ description: "null when it concerns the whole platform" }),
  actor_type: Schema.Literal("user", "api_key", "operator"),
  actor_id: Schema.String,
  actor_name: Schema.NullOr(Schema.String).annotations({
    description: "E-mail address or key name at the time. Null in older entries"
  }),
  action: Schema.String.annotations({ description: "For example `api_key.rotated`" }),
  subject_type: Schema.String,
  subject_id: Schema.String,
  detail: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  created_at: Timestamp
}).annotations({ identifier: "AuditEntry" })

export const AuditLogApi = apiGroup("auditLog", "Audit log", "Who changed what, and when.", [
  operation({
    endpoint: get("list", "/audit-log", {
      ...OrgParam,
      ...PageParams,
      action: Schema.optional(Schema.String.annotations({ description: "Only this action" })),
      actor_id: Schema.optional(Schema.String.annotations({ description: "Only what this user, key or operator did" })),
      subject_id: Schema.optional(
        Schema.String.annotations({ description: "Only changes of this payment, key, member or other object" })
      ),
      from: Schema.optional(FromTime),
      to: Schema.optional(ToTime)
    }).addSuccess(pageOf(AuditEntry)),
    access: "audit",
    lists: true,
    summary: "Read the audit log",
    description:
      "Extension. Newest first: who changed keys, roles, configurations, rates, or settled a payment by hand.",
    response: pageExample("Audit log", [
      {
        audit_id: "0199c2a4-8d21-7a44-8c6e-5b4a39281706",
        org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
        actor_type: "user",
        actor_id: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
        actor_name: "wanjiru@acme.example",
        action: "api_key.created",
        subject_type: "api_key",
        subject_id: "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77",
        detail: { name: "Checkout server", role: "org-admin" },
        created_at: "2026-03-02T09:15:00.000Z"
      }
    ])
  })
])
