interface Sent {
  readonly event_id: string
  readonly event_type: string
  readonly attempts: number
}

/** The headers of the latest attempt, or of the first that is to come. What is not kept is said in angle brackets. */
export const sentHeaders = ({ attempts, event_id, event_type }: Sent): string =>
  [
    ["content-type", "application/json"],
    ["webhook-id", event_id],
    ["webhook-timestamp", "<second of the attempt>"],
    ["webhook-signature", "v1,<of id, timestamp and body>"],
    ["x-service-event-id", event_id],
    ["x-service-event-type", event_type],
    ["x-service-attempt", String(Math.max(1, attempts))],
    ["x-service-signature", "<of the body>"]
  ]
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n")
