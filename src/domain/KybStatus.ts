/** How far the verification of a business has come. */
export const kybStatuses = ["not_started", "pending", "approved", "rejected"] as const
