import type { Model } from "./model.ts";

/** A model whose code is loaded on the first request or on `prepare`. */
export function lazyModel(id: string, load: () => Promise<Model>): Model {
  let loading: Promise<Model> | undefined;
  const loaded = () => {
    if (!loading) {
      const started = load();
      // After a failed load, the next request tries again.
      started.catch(() => {
        if (loading === started) loading = undefined;
      });
      loading = started;
    }
    return loading;
  };
  return {
    id,
    async prepare() {
      // The request reports the error.
      await loaded().catch(() => {});
    },
    async *stream(request) {
      yield* (await loaded()).stream(request);
    },
  };
}
