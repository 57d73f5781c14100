/** On every answer: nobody guesses another type for it, and nobody keeps it. */
export const fixedHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" }
