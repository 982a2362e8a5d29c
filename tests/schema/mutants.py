"""Good scenarios with something changed: each key on its own as far as the schema knows it, and at random."""
import copy
import random

SEED = 20119


def properties_of(schema):
    """Every (where, name, subschema) that defines a key, and none that only forbids or narrows one."""
    objects = {"": schema, **schema["$defs"], "clock": schema["$defs"]["fleet"]["properties"]["clock"]}
    for where, definition in objects.items():
        for name, sub in definition.get("properties", {}).items():
            yield where, name, sub


def resolve(schema, sub):
    """The subschema with what its $ref says below what it says itself."""
    while "$ref" in sub:
        target = schema["$defs"][sub["$ref"].rsplit("/", 1)[1]]
        sub = {**target, **{key: value for key, value in sub.items() if key != "$ref"}}
    return sub


def definition_at(schema, sub, key):
    """The subschema of a member or element of what `sub` describes, or {}. Conditions are not followed."""
    sub = resolve(schema, sub)
    if isinstance(key, int):
        if "items" in sub:
            return resolve(schema, sub["items"])
        return resolve(schema, sub.get("then", {})).get("items", {})
    if "else" in sub and "properties" not in sub:  # traffic: an object or an array
        sub = resolve(schema, sub["else"])
    found = sub.get("properties", {}).get(key, sub.get("additionalProperties"))
    return resolve(schema, found) if isinstance(found, dict) else {}


def values_at_bounds(sub):
    """Values at the bounds that `sub` sets, and just beyond."""
    for word in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        if word in sub and sub.get("type") == "integer":
            yield from (sub[word] - 1, sub[word], sub[word] + 1)
        elif word in sub:
            step = abs(sub[word]) / 1e9 or 1e-9
            yield from (sub[word] - step, sub[word], sub[word] + step)
    if "maxLength" in sub:
        yield from ("y" * sub["maxLength"], "y" * (sub["maxLength"] + 1), "", "two\nlines")
    if "maxItems" in sub and sub["examples"][0]:
        yield from (sub["examples"][0] * sub["maxItems"], sub["examples"][0] * (sub["maxItems"] + 1))
    yield from sub.get("enum", ())


def places_of(schema, value, sub, way=()):
    """Every (way, subschema) of the document."""
    yield way, sub
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places_of(schema, value[key], definition_at(schema, sub, key), (*way, key))


def single_changes(document, schema):
    """The document with one member removed, added, of another type, or at a bound of the schema."""
    def changed(way, change):
        mutant = copy.deepcopy(document)
        holder = mutant
        for key in way[:-1]:
            holder = holder[key]
        change(holder, way[-1])
        return mutant

    def setter(value):
        return lambda holder, key: holder.__setitem__(key, copy.deepcopy(value))

    for way, sub in places_of(schema, document, schema):
        if way:
            yield changed(way, lambda holder, key: holder.__delitem__(key))
            for value in (*values_at_bounds(sub), None, [], "x"):
                yield changed(way, setter(value))
        if "else" in sub and "properties" not in sub:
            sub = resolve(schema, sub["else"])
        here = document
        for key in way:
            here = here[key]
        if not isinstance(here, dict):
            continue
        for name, member in sub.get("properties", {}).items():
            if name not in here and isinstance(member, dict):
                for value in resolve(schema, member).get("examples", ()):
                    yield changed((*way, name), setter(value))
        for name in ("colour", "a.b", "", "n" * 63, "n" * 64):
            for value in (*here.values(), 1)[:1]:
                yield changed((*way, name), setter(value))


class Mutator:
    """One change to a good document, of the kinds people make."""

    def __init__(self, documents, schema):
        self.random = random.Random(SEED)
        self.documents = documents
        self.numbers, self.words, self.values = {0, -1, 1, 2, 0.5, 1e-9, 1e18, -0.0}, set(), {}
        self.learn_bounds(schema)
        for document in documents:
            self.learn_values(document)
        self.words = sorted(self.words | set(self.values))
        self.numbers = sorted(self.numbers)
        self.junk = [None, True, False, "", "x", "a.b", "two\nlines", "\u202e", 0, 7, [], {}, [1], ["x"],
                     {"kind": "x"}, {"//": "nothing but a comment"}, "9", 1 << 62, 2.5, "y" * 64, "z" * 2001]

    def learn_bounds(self, schema):
        """The bounds of the schema and their neighbours: where the two readers may differ by one."""
        if isinstance(schema, list):
            for item in schema:
                self.learn_bounds(item)
        if isinstance(schema, dict):
            for key, value in schema.items():
                if key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
                    self.numbers.update((value, value - 1, value + 1, value * 1.001))
                if key == "enum":
                    self.words.update(value)
                self.learn_bounds(value)

    def learn_values(self, value):
        if isinstance(value, dict):
            for key, item in value.items():
                self.values.setdefault(key, []).append(item)
                self.learn_values(item)
        if isinstance(value, list):
            for item in value:
                self.learn_values(item)
        if isinstance(value, str) and len(value) < 64:
            self.words.add(value)

    def places(self, value, found):
        if isinstance(value, (dict, list)):
            for key in value if isinstance(value, dict) else range(len(value)):
                found.append((value, key))
                self.places(value[key], found)
        return found

    def misspelt(self, word):
        at = self.random.randrange(len(word) + 1)
        return self.random.choice((word[:at] + word[at + 1:], word[:at] + "x" + word[at:],
                                   word.upper(), word + "_s", word + ".", "// " + word))

    def mutate(self, document):
        choose = self.random.choice
        holder, key = choose(self.places(document, []))
        value = holder[key]
        change = self.random.randrange(8)
        if change == 0:
            del holder[key]
        elif change == 1:
            holder[key] = choose(self.junk)
        elif change == 2 and isinstance(holder, dict):
            holder[self.misspelt(key)] = holder.pop(key)
        elif change == 3 and isinstance(holder, dict):
            name = choose(self.words)
            holder[name] = copy.deepcopy(choose(self.values.get(name, self.junk)))
        elif change == 4 and isinstance(holder, dict) and key in self.values:
            holder[key] = copy.deepcopy(choose(self.values[key]))
        elif change == 5 and isinstance(value, list):
            holder[key] = value + copy.deepcopy(value[:1])
        elif isinstance(value, (int, float)):
            holder[key] = choose(self.numbers)
        elif isinstance(value, str):
            holder[key] = choose((choose(self.words), self.misspelt(value)))
        elif isinstance(value, dict):
            name = choose(sorted(value) or ["//"])
            value[choose((name, "//"))] = choose(self.junk)
        else:
            holder[key] = choose(self.junk)

    def mutants(self, count):
        for number in range(count):
            document = copy.deepcopy(self.documents[number % len(self.documents)])
            for _ in range(1 if number % 4 else 2):
                if document:
                    self.mutate(document)
            yield document
