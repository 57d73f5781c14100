/** Examples of one escrow, from creation to cancellation. */
import { exampleTimes } from "./Operation.ts"

const partyIds = ["0199c2a4-7d01-7a52-8c11-4f0b1c2d3e4f", "0199c2a4-7d01-7b63-9d22-5a1c2d3e4f50"] as const
const milestoneIds = ["0199c2a4-7d01-7c74-8e33-6b2d3e4f5061", "0199c2a4-7d01-7d85-9f44-7c3e4f506172"] as const
const escrowId = "0199c2a4-7d01-7096-8a55-8d4f50617283"
const accountId = "0199c2a4-7c40-71a7-9b66-9e5061728394"

export const beneficiaryId = "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77"

const builder = { name: "Jenga Builders", email: "accounts@jenga.example" }
const surveyor = { name: "Surveyor" }

const split = (percentages: readonly [number, number]) =>
  partyIds.map((party_id, at) => ({ party_id, split_type: "percentage", split_value: percentages[at] }))

const named = (percentages: readonly [number, number]) =>
  [builder, surveyor].map(({ name }, at) => ({ name, split_type: "percentage", split_value: percentages[at] }))

export const request = {
  name: "Clinic in Kisumu",
  currency: "KES",
  account_id: accountId,
  parties: [builder, surveyor],
  milestones: [
    {
      label: "Foundation",
      sequence: 1,
      expected_disbursement: 4000,
      description: "Foundation laid and inspected",
      due_date: "2026-04-30",
      parties: named([90, 10])
    },
    { label: "Roof", sequence: 2, expected_disbursement: 6000, parties: named([95, 5]) }
  ]
}

export const fixedRequest = {
  ...request,
  parties: [{ ...builder, beneficiary_id: beneficiaryId }, surveyor],
  milestones: [
    {
      label: "Foundation",
      sequence: 1,
      expected_disbursement: 4000,
      parties: [
        { name: builder.name, split_type: "fixed", split_value: 3600 },
        { name: surveyor.name, split_type: "fixed", split_value: 400 }
      ]
    }
  ]
}

const foundation = {
  milestone_id: milestoneIds[0],
  label: "Foundation",
  sequence: 1,
  expected_disbursement: 4000,
  status: "pending",
  disbursed_total: 0,
  description: "Foundation laid and inspected",
  due_date: "2026-04-30",
  contract_submitted_at: null as string | null,
  disbursed_at: null as string | null,
  parties: split([90, 10]),
  funding_status: "unfunded",
  covered_amount: 0
}

const roof = {
  ...foundation,
  milestone_id: milestoneIds[1],
  label: "Roof",
  sequence: 2,
  expected_disbursement: 6000,
  description: null,
  due_date: null,
  parties: split([95, 5])
}

export const escrow = {
  escrow_id: escrowId,
  name: "Clinic in Kisumu",
  currency: "KES",
  account_id: accountId,
  status: "active",
  total_amount: 10000,
  funded_amount: 0,
  disbursed_amount: 0,
  parties: [builder, { ...surveyor, email: null }].map((party, at) => ({
    party_id: partyIds[at],
    ...party,
    beneficiary_id: null,
    account_id: null,
    balance: 0
  })),
  milestones: [foundation, roof],
  ...exampleTimes
}

const fundedFoundation = { ...foundation, funding_status: "funded", covered_amount: 4000 }

export const funded = {
  ...escrow,
  funded_amount: 6000,
  milestones: [fundedFoundation, { ...roof, funding_status: "partially_funded", covered_amount: 2000 }],
  updated_at: "2026-03-03T10:00:00.000Z"
}

export const contracted = {
  ...fundedFoundation,
  status: "contract_submitted",
  contract_submitted_at: "2026-03-04T08:30:00.000Z"
}

export const splitUpdates = {
  parties: [
    { party_id: partyIds[0], split_value: 85 },
    { party_id: partyIds[1], split_value: 15 }
  ]
}

export const resplit = { ...contracted, parties: split([85, 15]) }

export const disbursed = {
  ...resplit,
  status: "disbursed",
  disbursed_total: 4000,
  disbursed_at: "2026-04-28T12:00:00.000Z"
}

export const payout = {
  escrow_id: escrowId,
  party_id: partyIds[0],
  beneficiary_id: beneficiaryId,
  amount: 3400,
  currency: "KES",
  payment_id: "0199c2a4-8e10-7000-8000-000000000001",
  transaction_id: "0199c2a4-8e10-7000-8000-000000000002",
  status: "processing"
}

export const retriedPayout = {
  payout_id: "0199c2a4-8e10-7000-8000-000000000003",
  escrow_id: escrowId,
  milestone_id: milestoneIds[0],
  party_id: partyIds[0],
  beneficiary_id: beneficiaryId,
  amount: 3400,
  currency: "KES",
  status: "waiting",
  reason: null,
  payment_id: null,
  created_at: "2026-03-03T18:35:00.000Z",
  updated_at: "2026-03-03T19:10:00.000Z"
}

export const resolvedPayout = { ...retriedPayout, status: "closed", reason: "Paid in cash on site" }

export const canceled = {
  ...escrow,
  status: "canceled",
  funded_amount: 4000,
  disbursed_amount: 4000,
  parties: escrow.parties.map((party, at) => ({ ...party, balance: [0, 600][at] })),
  milestones: [disbursed, { ...roof, status: "canceled" }],
  updated_at: "2026-05-02T16:45:00.000Z"
}
