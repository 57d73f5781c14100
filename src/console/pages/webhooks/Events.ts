/** Events as people write them into a field: one to a line, or with commas between them. */
export const eventsIn = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((name) => name !== "")

export const eventsHint = "Exact types or patterns such as payment.*, one to a line. * is all of them."
