import type { Model } from "./model.ts";

/** A model whose code is loaded when it is first asked, or when somebody has the time to `prepare` it. */
export function lazyModel(id: string, load: () => Promise<Model>): Model {
  let loading: Promise<Model> | undefined;
  const loaded = () => {
    loading ??= load();
    return loading;
  };
  return {
    id,
    async prepare() {
      await loaded();
    },
    async *stream(request) {
      yield* (await loaded()).stream(request);
    },
  };
}
