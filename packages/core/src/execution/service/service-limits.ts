/** How many services a host runs at once. */
export const maxServices = 16;

/** How long a service has to get ready, in milliseconds. */
export const readyMs = 60_000;

/** A service that ends unasked this often in this period, in milliseconds, is no longer started. */
export const maxDeaths = 3;
export const deathsMs = 60_000;
